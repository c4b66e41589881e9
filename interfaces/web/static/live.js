// The live view: jobs move through the graph as the server tells their steps. Texts are set as text, never as markup.
"use strict";
(() => {
  const list = document.querySelector("[data-jobs]");
  const state = document.querySelector("[data-state]");
  const nodes = new Map([...document.querySelectorAll("[data-node]")].map((node) => [node.dataset.node, node]));
  const words = list.dataset;
  const cards = new Map(); // by job: {card, steps, node}
  const SHOWN = 20; // jobs that stay on the page

  const made = (name, text, look) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (look) element.className = look;
    return element;
  };

  const light = () => {
    const here = new Map();
    for (const { node } of cards.values()) if (node) here.set(node, (here.get(node) || 0) + 1);
    for (const [name, element] of nodes) {
      const count = here.get(name) || 0;
      element.classList.toggle("active", count > 0);
      const number = element.querySelector("[data-count]");
      number.textContent = count;
      number.hidden = count < 2;
    }
  };

  const cardOf = (step) => {
    let kept = cards.get(step.job_id);
    if (!kept) {
      const card = made("li", undefined, "card");
      const head = made("h2");
      const place = made("a", step.scope);
      place.href = (step.scope.startsWith("g:") ? "/group?id=" : "/user?id=") + encodeURIComponent(step.scope.slice(2));
      head.append(place, " ", made("code", step.job_id, "muted"));
      const steps = made("div");
      const end = made("span", "", "tag");
      end.hidden = true;
      head.append(" ", end);
      card.append(head, steps);
      kept = { card, steps, end, node: "" };
      cards.set(step.job_id, kept);
      while (cards.size > SHOWN) {
        const [oldest] = cards.keys();
        cards.get(oldest).card.remove();
        cards.delete(oldest);
      }
      list.prepend(card);
    }
    return kept;
  };

  const row = ({ node, found }) => {
    const element = made("div", undefined, "step");
    const made_of_it = made("div");
    element.append(made("code", node), made_of_it);
    for (const { before, after, passed, reasons } of found.texts || []) {
      if (node !== "gate" && before && before !== after) made_of_it.append(made("p", before, "was"));
      const text = made("p", after, "is");
      made_of_it.append(text);
      if (node !== "gate") continue;
      text.append(" ", made("span", passed ? words.passed : words.open, passed ? "tag fact" : "tag warning"));
      for (const reason of passed ? [] : reasons) made_of_it.append(made("p", reason, "reason"));
    }
    for (const { text } of found.ended || []) {
      const over = made("p", text + " ", "was");
      over.append(made("span", words.over, "tag over"));
      made_of_it.append(over);
    }
    for (const { name, entity_id, lines } of found.profiles || []) {
      made_of_it.append(made("p", name || entity_id, "was"), made("p", lines.join("\n"), "is pre"));
    }
    for (const name of found.written || []) made_of_it.append(made("p", name, "is"));
    for (const id of found.event_ids || []) {
      const line = made("p", undefined, "was");
      const way = made("a", id);
      way.href = "/event?id=" + encodeURIComponent(id);
      line.append(way);
      made_of_it.append(line);
    }
    if (!made_of_it.hasChildNodes()) made_of_it.append(made("p", words.nothing, "was"));
    return element;
  };

  // A job is seen at every node for a moment, however fast it passes.
  const queue = [];
  let busy = false;
  const next = () => {
    const step = queue.shift();
    busy = Boolean(step);
    if (!step) return;
    const kept = cardOf(step);
    if (step.node === "__end__") {
      kept.node = "";
      kept.end.textContent = words[step.outcome] || step.outcome;
      kept.end.className = "tag " + (["failed", "retried", "waits"].includes(step.outcome) ? "warning" : "fact");
      kept.end.hidden = false;
    } else {
      kept.node = nodes.has(step.node) ? step.node : "";
      kept.end.hidden = true;
      if (step.node === "__start__") kept.steps.replaceChildren();
      else kept.steps.append(row(step));
    }
    light();
    state.textContent = state.dataset.running;
    setTimeout(next, queue.length > 40 ? 0 : 250);
  };

  const stream = new EventSource(words.stream);
  state.textContent = state.dataset.waiting;
  stream.addEventListener("step", (message) => {
    const step = JSON.parse(message.data);
    if (step.outcome === "command") return; // an edit or a deletion passes through no node
    queue.push(step);
    if (!busy) next();
  });
  stream.addEventListener("open", () => { state.textContent = state.dataset.waiting; });
  stream.addEventListener("error", () => { state.textContent = state.dataset.lost; });
})();
