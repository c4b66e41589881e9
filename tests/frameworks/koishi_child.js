// Koishi with the example plugin and a bot that answers with what memory gave it. argv: the plugin, an address, a token. stdin: one JSON
// object a line, `{"text", "user", "group"}`; stdout: the replies as JSON, one list a line. With `event` (`message-updated`,
// `message-deleted`) it is told of the message `id`; the first message is 1.
const readline = require('node:readline')
const { App, h } = require('koishi')
const mock = require('@koishijs/plugin-mock')

const [plugin, address, token] = process.argv.slice(2)
const app = new App()
app.plugin(mock.default ?? mock)
app.plugin(require(plugin), { address, token })
app.plugin({
  inject: ['historian'],
  apply: (ctx) => ctx.middleware(async (session) => (await ctx.historian.recall(session)) || '不知道'),
})

async function main() {
  await app.start()
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const said = JSON.parse(line)
    const client = said.group ? app.mock.client(said.user, said.group) : app.mock.client(said.user)
    if (said.event) {
      const message = { id: said.id, content: said.text, elements: h.parse(said.text) }
      app.mock.receive({ ...client.event, type: said.event, message }, client)
      console.log('[""]')
      continue
    }
    console.log(JSON.stringify(await client.receive(said.text)))
  }
  process.exit(0)
}

main()
