// Keeps parts of a page fresh without loading it again. The pages work without it too: only the numbers stand still.
//
//   <div id="x" data-from="/part" data-every="3">    what /part holds, fetched every 3 seconds while somebody looks
//   … data-at-once                                   and once as soon as the page is there
//   … data-events="/stream"                          and when that stream tells of something, at most once a second
//   <form method="post" data-into="x" data-ask="?">  sent from here (after the question); its answer becomes the part x
"use strict";

const PAUSE = 1000;
const trouble = document.getElementById("trouble");

// --- Changing a part only where it differs, so that what a reader has opened, marked or focused stays. ---

function alike(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && (one.id || "") === (other.id || "");
}

function patch(node, fresh) {
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (node.data !== fresh.data) node.data = fresh.data;
    return;
  }
  const readers = (name) => name === "open" && node.nodeName === "DETAILS";
  for (const { name } of [...node.attributes])
    if (!fresh.hasAttribute(name) && !readers(name)) node.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (node.getAttribute(name) !== value && !readers(name)) node.setAttribute(name, value);
  patchChildren(node, fresh);
}

function patchChildren(parent, fresh) {
  let place = parent.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    let known = place;
    while (known && !alike(known, wanted)) known = known.nextSibling;
    if (!known) {
      parent.insertBefore(wanted, place);
      continue;
    }
    if (known === place) place = place.nextSibling;
    else parent.insertBefore(known, place);
    patch(known, wanted);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

// --- Fetching. ---

let readUntil = 0;

/** Say what is wrong, for so many seconds at least; nothing, when all is well again. */
function say(text, seconds = 0) {
  if (!text && Date.now() < readUntil) return;
  readUntil = Date.now() + seconds * 1000;
  trouble.textContent = text;
  trouble.hidden = !text;
}

function reason(status, text) {
  if (status === 401) return "You are signed out: load this page again.";
  try {
    return JSON.parse(text).detail;
  } catch {
    return `The service answered with ${status}.`;
  }
}

/** Put what an address answers into a part. What is wrong is said above the page. */
async function show(part, address, options = {}) {
  let answer, text;
  try {
    answer = await fetch(address, { ...options, headers: { Accept: "text/x-part, application/problem+json" } });
    text = await answer.text();
  } catch {
    return say("The service does not answer. The page goes on by itself as soon as it does.");
  }
  if (!answer.ok) return say(reason(answer.status, text), options.method ? 8 : 0);
  const fresh = document.createElement("template");
  fresh.innerHTML = text;
  patchChildren(part, fresh.content);
  say("");
}

// --- When to fetch. ---

function keepFresh(part) {
  let last = 0, waiting = false, again = false, stream = null;

  function soon() {
    again = waiting;
    if (!waiting) setTimeout(look, Math.max(0, last + PAUSE - Date.now()));
    waiting = true;
  }

  async function look() {
    again = false;
    await show(part, part.dataset.from);
    last = Date.now();
    waiting = false;
    if (stream?.readyState === EventSource.CLOSED) listen();
    if (again) soon();
  }

  function listen() {
    stream = new EventSource(part.dataset.events);
    for (const kind of ["progress", "state", "stalled"]) stream.addEventListener(kind, soon);
  }

  function ifSeen() {
    if (!document.hidden) soon();
  }

  if ("atOnce" in part.dataset) soon();
  if (part.dataset.every) setInterval(ifSeen, Number(part.dataset.every) * 1000);
  if (part.dataset.events) listen();
  document.addEventListener("visibilitychange", ifSeen);
}

document.addEventListener("submit", (event) => {
  const form = event.target, part = document.getElementById(form.dataset.into);
  const refused = form.dataset.ask && !confirm(form.dataset.ask);
  if (part || refused) event.preventDefault();
  if (part && !refused) show(part, form.action, { method: "POST" });
});
document.querySelectorAll("[data-from]").forEach(keepFresh);
