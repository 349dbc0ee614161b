/**
 * The script of a drop box's page: sends the chosen files as resumable uploads (tus) one after the other, shows their
 * progress and resumes interrupted ones, even if the page was closed and the same file is chosen again. Proxies limit
 * bodies: a file goes in pieces, which become smaller when a proxy refuses them or when they don't get through.
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
const PIECE = 50 * 2 ** 20;
const SMALLEST_PIECE = 2 ** 18;
let mostPiece = PIECE;
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

/** Browsers say of a file that changed or went since it was chosen only that the request failed. */
async function isAsChosen(file) {
  try {
    const end = await (file.size > 0 ? file.slice(file.size - 1) : file).arrayBuffer();
    return end.byteLength === Math.min(file.size, 1);
  } catch { return false; }
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

/** Waymark's own answers have the version of the protocol. */
const isOfProxy = (answer) => answer?.status === 413 && answer.getResponseHeader("Tus-Resumable") === null;

async function upload(file, row) {
  if (file.size > told.most) throw new Error(told.size);
  if (!(await isAsChosen(file))) throw new Error(told.changed);
  let address = remembered(file);
  let offset = address === null ? null : await find(address, row);
  if (offset === null) ({ address, offset } = await begin(file, row));
  let piece = mostPiece;
  let tries = 0;
  while (offset < file.size) {
    row.show(offset);
    const from = offset;
    const half = Math.ceil(Math.min(piece, file.size - from) / 2);
    const answer = await send("PATCH", address, {
      "Upload-Offset": String(from),
      "Content-Type": "application/offset+octet-stream",
    }, file.slice(from, from + piece), (sent) => row.show(from + sent));
    if (answer && answer.status === 204) {
      offset = Number(answer.getResponseHeader("Upload-Offset"));
      piece = Math.min(piece * 2, mostPiece);
      tries = 0;
      continue;
    }
    if (isOfProxy(answer)) {
      if (half < SMALLEST_PIECE) throw new Error(told.pieces);
      mostPiece = piece = half;
      continue;
    }
    if (answer === null && !(await isAsChosen(file))) {
      remember(file, null);
      void send("DELETE", address, {});
      throw new Error(told.changed);
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
    else {
      tries++;
      piece = Math.max(half, SMALLEST_PIECE);
    }
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
    fail(text) { bar.remove(); this.say(text, "warn"); broken.push(this); },
  };
}

function choose(files) {
  const chosen = new DataTransfer();
  for (const file of files.slice(0, MOST_CHOSEN)) chosen.items.add(file);
  picker.files = chosen.files;
}

/** Browsers give a folder like a file, which nobody can read. */
picker.addEventListener("drop", (event) => {
  const dropped = [...event.dataTransfer.items].filter(({ kind }) => kind === "file")
    .map((item) => ({ file: item.getAsFile(), entry: item.webkitGetAsEntry?.() }));
  const folders = dropped.filter(({ entry }) => entry?.isDirectory);
  if (folders.length === 0) return;
  event.preventDefault();
  const files = dropped.filter(({ entry, file }) => file !== null && !entry?.isDirectory);
  if (files.length > 0) choose(files.map(({ file }) => file));
  list.hidden = false;
  for (const { entry } of folders) rowOf({ name: entry.name, size: 0 }).fail(told.folder);
});

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
  choose([...picker.files, ...pasted]);
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
      row.fail(error.message);
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
