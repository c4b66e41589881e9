"""A bot that consists only of the plugin: run `python bot.py`, then connect a OneBot v11 client to
ws://HOST:PORT/onebot/v11/ws.
"""

import nonebot
from nonebot.adapters.onebot.v11 import Adapter

nonebot.init()
nonebot.get_driver().register_adapter(Adapter)
nonebot.load_plugin("nonebot_plugin_historian")

if __name__ == "__main__":
    nonebot.run()
