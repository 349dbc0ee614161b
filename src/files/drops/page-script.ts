/**
 * The script of a drop box's page: sends the chosen files as resumable uploads (tus) one after the other, shows their
 * progress and resumes interrupted ones, even if the page was closed and the same file is chosen again.
 */
export const UPLOAD_SCRIPT = `(() => {
"use strict";
const form = document.querySelector("form[data-told]");
const list = form.nextElementSibling;
const button = form.querySelector("button");
const told = JSON.parse(form.dataset.told);
const picker = form.querySelector("input[type=file]");
const person = form.querySelector("input:not([type=file])");
const TUS = { "Tus-Resumable": "1.0.0" };
const MOST_TRIES = 20;
const MOST_CHOSEN = 1000;
const arrived = new Set();
const broken = [];

const base64 = (text) => {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
};
const keyOf = (file) => ["waymark-drop", location.pathname, file.name, file.size, file.lastModified].join("|");
const remembered = (file) => { try { return localStorage.getItem(keyOf(file)); } catch { return null; } };
const remember = (file, address) => {
  try {
    if (address === null) localStorage.removeItem(keyOf(file));
    else localStorage.setItem(keyOf(file), address);
  } catch {}
};

function send(method, address, headers, body, progress) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open(method, address);
    for (const [name, value] of Object.entries({ ...TUS, ...headers })) request.setRequestHeader(name, value);
    if (progress) request.upload.onprogress = (event) => progress(event.loaded);
    request.onload = () => resolve(request);
    request.onerror = request.onabort = request.ontimeout = () => resolve(null);
    request.send(body);
  });
}

const pause = (seconds) => new Promise((resolve) => {
  const timer = setTimeout(resolve, seconds * 1000);
  addEventListener("online", () => { clearTimeout(timer); resolve(); }, { once: true });
});
const mayRetry = (answer) => answer === null || answer.status >= 500 || [423, 429].includes(answer.status);
const waitOf = (answer, tries) => {
  const told = answer && Number(answer.getResponseHeader("Retry-After"));
  return Math.min(told || 2 ** Math.min(tries, 5), 60);
};
function reasonOf(answer) {
  const otherwise = [404, 405, 410].includes(answer.status) ? told.ended : told.failed;
  try { return JSON.parse(answer.responseText).message || otherwise; } catch { return otherwise; }
}

async function patiently(row, ask) {
  for (let tries = 0; ; tries++) {
    const answer = await ask();
    if (!mayRetry(answer)) return answer;
    if (tries === MOST_TRIES) throw new Error(answer ? reasonOf(answer) : told.failed);
    row.say(answer ? reasonOf(answer) : told.broken, "warn");
    await pause(waitOf(answer, tries));
  }
}

async function begin(file, row) {
  const pairs = { filename: file.name, filetype: file.type, sender_name: person.value };
  const metadata = Object.entries(pairs).filter(([, value]) => value !== "");
  const answer = await patiently(row, () => send("POST", location.pathname, {
    "Upload-Length": String(file.size),
    "Upload-Metadata": metadata.map(([name, value]) => name + " " + base64(value)).join(","),
  }));
  if (answer.status !== 201) throw new Error(reasonOf(answer));
  const address = answer.getResponseHeader("Location");
  if (file.size > 0) remember(file, address);
  return { address, offset: Number(answer.getResponseHeader("Upload-Offset")) };
}

async function find(address, row) {
  const answer = await patiently(row, () => send("HEAD", address, {}));
  return answer.status === 200 ? Number(answer.getResponseHeader("Upload-Offset")) : null;
}

async function upload(file, row) {
  if (file.size > told.most) throw new Error(told.size);
  let address = remembered(file);
  let offset = address === null ? null : await find(address, row);
  if (offset === null) ({ address, offset } = await begin(file, row));
  for (let tries = 0; offset < file.size; tries++) {
    row.show(offset);
    const from = offset;
    const answer = await send("PATCH", address, {
      "Upload-Offset": String(from),
      "Content-Type": "application/offset+octet-stream",
    }, file.slice(from), (sent) => row.show(from + sent));
    if (answer && answer.status === 204) {
      offset = Number(answer.getResponseHeader("Upload-Offset"));
      continue;
    }
    if (answer && !mayRetry(answer) && answer.status !== 409) {
      remember(file, null);
      throw new Error(reasonOf(answer));
    }
    if (answer === null || answer.status !== 409) {
      row.say(answer ? reasonOf(answer) : told.broken, "warn");
      await pause(waitOf(answer, tries));
    }
    offset = await find(address, row);
    if (offset === null || tries >= MOST_TRIES) {
      remember(file, null);
      throw new Error(answer ? reasonOf(answer) : told.failed);
    }
    if (offset > from) tries = 0;
  }
  remember(file, null);
}

function rowOf(file) {
  const item = document.createElement("li");
  const name = document.createElement("bdi");
  const state = document.createElement("span");
  const bar = document.createElement("progress");
  name.textContent = file.name;
  bar.max = file.size || 1;
  bar.value = 0;
  bar.setAttribute("aria-label", file.name);
  item.append(name, state, bar);
  list.append(item);
  const percent = new Intl.NumberFormat(document.documentElement.lang, { style: "percent" });
  return {
    remove() { item.remove(); },
    say(text, kind) { state.textContent = text; state.className = kind || ""; },
    show(bytes) { bar.value = Math.min(bytes, bar.max); this.say(percent.format(file.size ? bytes / file.size : 1)); },
    end() { bar.remove(); this.say(told.done, "right"); },
  };
}

/** What is pasted joins the chosen files, which are sent when the visitor says so. */
document.addEventListener("paste", (event) => {
  if (picker.disabled || event.target.closest?.("input:not([type=file]), textarea")) return;
  const given = event.clipboardData;
  const time = new Date().toLocaleString("sv").slice(0, 16).replace(":", ".");
  const named = (file) => /^image\\.\\w+$/.test(file.name)
    ? new File([file], told.picture + " " + time + file.name.slice(5), { type: file.type })
    : file;
  const pasted = [...given.files].map(named);
  const text = pasted.length ? "" : given.getData("text/plain");
  if (text) pasted.push(new File([text], told.text + " " + time + ".txt", { type: "text/plain" }));
  if (pasted.length === 0) return;
  event.preventDefault();
  const chosen = new DataTransfer();
  for (const file of [...picker.files, ...pasted].slice(0, MOST_CHOSEN)) chosen.items.add(file);
  picker.files = chosen.files;
  const around = form.closest("details");
  if (around) around.open = true;
  button.focus();
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  for (const row of broken.splice(0)) row.remove();
  for (const note of document.querySelectorAll(".note")) note.remove();
  const waiting = [...picker.files].filter((file) => !arrived.has(keyOf(file)))
    .map((file) => ({ file, row: rowOf(file) }));
  list.hidden = false;
  button.disabled = picker.disabled = true;
  addEventListener("beforeunload", stay);
  for (const { row } of waiting) row.say(told.waiting);
  for (const { file, row } of waiting) {
    try {
      await upload(file, row);
      arrived.add(keyOf(file));
      row.end();
    } catch (error) {
      broken.push(row);
      row.say(error.message, "warn");
    }
  }
  removeEventListener("beforeunload", stay);
  if (broken.length === 0) return location.replace(location.pathname + "?sent=1");
  button.disabled = picker.disabled = false;
  button.textContent = told.again;
  await refresh();
});
/** Updates what is shown beside the files that failed. */
async function refresh() {
  try {
    const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [facts, note, sent] = [".facts", ".note", "h2 + *"].map((part) => fresh.querySelector(part));
    if (sent) document.querySelector("h2 + *").replaceWith(sent);
    if (facts) document.querySelector(".facts").replaceWith(facts);
    else if (note) {
      document.querySelector(".facts").replaceWith(note);
      form.remove();
    }
  } catch {}
}
function stay(event) { event.preventDefault(); }
})();`;
