// A bot in TypeScript, over the API of `historian serve`: node 18 or later, no packages.
const api = `${process.env.HISTORIAN_URL ?? "http://127.0.0.1:8765"}/api/v1`;
const headers = { Authorization: `Bearer ${process.env.HISTORIAN_TOKEN}`, "Content-Type": "application/json" };
const turn = { scope: "group:7001", user_id: "1001" };
const said = "Could you recommend me a novel? I like science fiction.";

const asked = await fetch(`${api}/context`, { method: "POST", headers, body: JSON.stringify({ ...turn, query: said }) });
console.log((await asked.json()).context || "nothing is remembered yet"); // goes before the user's message, as a user message

const reply = { role: "assistant", content: "I'd recommend you The Left Hand of Darkness." };
const messages = [{ role: "user", sender_id: "1001", name: "Ann", content: said }, reply];
const kept = await fetch(`${api}/remember`, { method: "POST", headers, body: JSON.stringify({ ...turn, messages, flush: true }) });
if (!kept.ok) throw new Error((await kept.json()).detail);
