"""A bot that consists of the plugin alone: `python bot.py`, then let a OneBot v11 client connect to ws://HOST:PORT/onebot/v11/ws."""

import nonebot
from nonebot.adapters.onebot.v11 import Adapter

nonebot.init()
nonebot.get_driver().register_adapter(Adapter)
nonebot.load_plugin("nonebot_plugin_historian")

if __name__ == "__main__":
    nonebot.run()
