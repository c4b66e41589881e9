// Long-term memory for Koishi, over the HTTP API of `historian serve`.
//
// Every message is handed over as it was said, with the reply that a plugin returns; an edited one replaces the former, a deleted one goes.
// A plugin that answers asks for what is worth remembering:
//
//     exports.inject = ['historian']
//     ctx.middleware(async (session) => {
//       const memory = await ctx.historian.recall(session)      // "" or a block for a message of the role user
//       return await askModel([{ role: 'user', content: memory }, { role: 'user', content: session.content }])
//     })

const { Schema, Service, h } = require('koishi')

const MILLISECONDS = 5000

class Historian extends Service {
  constructor(ctx, config) {
    super(ctx, 'historian', true)
    this.config = config
    ctx.middleware(async (session, next) => {
      const reply = await next()
      await this.remember(session, h.normalize(reply ?? '').map((part) => part.toString(true)).join(''))
      return reply
    }, true)
    ctx.on('message-updated', (session) => this.remember(session, ''))
    ctx.on('message-deleted', (session) => this.withdraw(session))
    ctx.command('forgetme [sure]', '忘记关于你的一切').action(async ({ session }, sure) => {
      if (!['确认', '确定', 'yes', 'y'].includes(sure)) return '将删除我记得的关于你的一切，无法恢复。确定的话，请发送：forgetme 确认'
      const report = await this.ask('/forget', { entity: `user:${this.user(session)}`, mentions: true })
      return report.clean ? '已经忘记了。' : '没能全部删掉，请联系管理员。'
    })
  }

  /** What is worth remembering for a reply: "" or one block for a message of the role `user`. */
  async recall(session, text = session.content) {
    const found = await this.ask('/context', { ...this.conversation(session), query: text })
    return found.context ?? ''
  }

  /** Hand a message and its reply over as they were said. */
  async remember(session, reply) {
    if (!session.content) return
    const id = this.messageId(session)
    const who = { sender_id: this.user(session), name: session.username, id, at: session.timestamp }
    if (session.quote?.id) who.reply_to = this.messageId(session, session.quote.id)
    const messages = [{ role: 'user', content: session.content, ...who }]
    if (reply) messages.push({ role: 'assistant', content: reply, name: session.bot.user?.name, id: `${id}:reply`, reply_to: id })
    await this.ask('/remember', { ...this.conversation(session), messages })
  }

  /** Take a deleted message out of memory. */
  async withdraw(session) {
    const { scope } = this.conversation(session)
    await this.call('DELETE', `/messages/${encodeURIComponent(this.messageId(session))}?scope=${encodeURIComponent(scope)}`)
  }

  messageId(session, id = session.messageId) {
    return `${session.cid}:${id}`
  }

  user(session) {
    return `${session.platform}:${session.userId}`
  }

  /** The conversation as the API takes it; ids carry the platform's name. */
  conversation(session) {
    const group = `group:${session.platform}:${session.channelId}`
    return { scope: session.isDirect ? `user:${this.user(session)}` : group, user_id: this.user(session) }
  }

  ask(path, asked) {
    return this.call('POST', path, JSON.stringify(asked))
  }

  /** The answer of the API; {} if there is none: without memory the bot goes on. */
  async call(method, path, body) {
    try {
      const answer = await fetch(`${this.config.address}/api/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${this.config.token}`, 'Content-Type': 'application/json' },
        body,
        signal: AbortSignal.timeout(MILLISECONDS),
      })
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
      return await answer.json()
    } catch (error) {
      this.ctx.logger('historian').warn(`${path}: ${error.message}`)
      return {}
    }
  }
}

Historian.Config = Schema.object({
  address: Schema.string().default('http://127.0.0.1:8765').description('historian serve 打印的地址'),
  token: Schema.string().role('secret').required().description('它的令牌（HISTORIAN__WEB__TOKEN）'),
})

module.exports = Historian
