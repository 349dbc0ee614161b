/**
 * The script of the pages through which visitors send files: lists what they choose, drop or paste, with the folders
 * around it, then sends one file after the other as a resumable upload (tus). It resumes interrupted ones, even if the
 * page was closed and the same file is chosen again. Pieces become smaller when a proxy refuses them or when they don't
 * get through. What can't be read is named, and the others go on.
 */
import { isAsChosen, readDropped } from "../../lib/chosen-files.ts";

export const UPLOAD_SCRIPT = `(() => {
"use strict";
const isAsChosen = ${isAsChosen};
const readDropped = ${readDropped};
const form = document.querySelector("form[data-told]");
const list = form.querySelector("ul.files");
const button = form.querySelector("button");
const told = JSON.parse(form.dataset.told);
const picker = form.querySelector("input[type=file]");
const TUS = { "Tus-Resumable": "1.0.0" };
const MOST_TRIES = 20;
const MOST_CHOSEN = 5000;
const PIECE = 50 * 2 ** 20;
const SMALLEST_PIECE = 2 ** 18;
let mostPiece = PIECE;
/** What is listed. "file" is null for what can't be read. */
const items = new Map();
const base64 = (text) => {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
};
const keyOf = (file, path) => ["waymark-drop", location.pathname, path, file.size, file.lastModified].join("|");
const remembered = ({ key }) => { try { return localStorage.getItem(key); } catch { return null; } };
const remember = ({ key }, address) => {
  try {
    if (address === null) localStorage.removeItem(key);
    else localStorage.setItem(key, address);
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

async function begin({ file, path, row, key }) {
  const modified = String(Math.floor(file.lastModified / 1000));
  const pairs = { filename: path, filetype: file.type, modified_at: modified };
  for (const { name, value } of form.querySelectorAll("input[name^=sender_]")) pairs[name] = value;
  const metadata = Object.entries(pairs).filter(([, value]) => value !== "");
  const answer = await patiently(row, () => send("POST", location.pathname, {
    "Upload-Length": String(file.size),
    "Upload-Metadata": metadata.map(([name, value]) => name + " " + base64(value)).join(","),
  }));
  if (answer.status !== 201) throw new Error(reasonOf(answer));
  const address = answer.getResponseHeader("Location");
  if (file.size > 0) remember({ key }, address);
  return { address, offset: Number(answer.getResponseHeader("Upload-Offset")) };
}

async function find(address, row) {
  const answer = await patiently(row, () => send("HEAD", address, {}));
  // It goes on once the password is given again.
  if (answer.status === 401) throw new Error(reasonOf(answer));
  return answer.status === 200 ? Number(answer.getResponseHeader("Upload-Offset")) : null;
}

/** Waymark's own answers have the version of the protocol. */
const isOfProxy = (answer) => answer?.status === 413 && answer.getResponseHeader("Tus-Resumable") === null;

/** What came of it holds room that others need. */
function giveUp(item, address, reason) {
  remember(item, null);
  void send("DELETE", address, {});
  throw new Error(reason);
}

async function upload(item) {
  const { file, row } = item;
  if (file === null) throw new Error(told.changed);
  if (file.size > told.most) throw new Error(told.size);
  if (!(await isAsChosen(file))) throw new Error(told.changed);
  let address = remembered(item);
  let offset = address === null ? null : await find(address, row);
  if (offset === null) ({ address, offset } = await begin(item));
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
    const isTaken = answer?.status === 204;
    if (isTaken && Number(answer.getResponseHeader("Upload-Offset")) > from) {
      offset = Number(answer.getResponseHeader("Upload-Offset"));
      piece = Math.min(piece * 2, mostPiece);
      tries = 0;
      continue;
    }
    if (isOfProxy(answer)) {
      if (half < SMALLEST_PIECE) giveUp(item, address, told.pieces);
      mostPiece = piece = half;
      continue;
    }
    if ((answer === null || isTaken) && !(await isAsChosen(file))) {
      giveUp(item, address, told.changed);
    }
    if (answer?.status === 401) throw new Error(reasonOf(answer));
    if (answer && !isTaken && !mayRetry(answer) && answer.status !== 409) {
      giveUp(item, address, reasonOf(answer));
    }
    if (answer === null || answer.status !== 409) {
      row.say(answer && !isTaken ? reasonOf(answer) : told.broken, "warn");
      await pause(waitOf(answer, tries));
    }
    offset = await find(address, row);
    if (offset === null || tries >= MOST_TRIES) {
      giveUp(item, address, answer && !isTaken ? reasonOf(answer) : told.failed);
    }
    if (offset > from) tries = 0;
    else {
      tries++;
      piece = Math.max(half, SMALLEST_PIECE);
    }
  }
  remember(item, null);
}

const language = document.documentElement.lang;
const percent = new Intl.NumberFormat(language, { style: "percent" });
function sizeText(bytes) {
  let size = bytes;
  let unit = 0;
  for (; size >= (unit === 0 ? 1000 : 999.5) && unit < told.units.length - 1; unit++) size /= 1000;
  const digits = { maximumFractionDigits: unit === 0 || size >= 99.95 ? 0 : 1 };
  return new Intl.NumberFormat(language, digits).format(size) + "\\u00a0" + (bytes === 1 ? told.unit : told.units[unit]);
}

function rowOf(path, key) {
  const item = document.createElement("li");
  const name = document.createElement("bdi");
  const state = document.createElement("span");
  const out = document.createElement("button");
  const bar = document.createElement("progress");
  name.textContent = path;
  bar.value = 0;
  bar.setAttribute("aria-label", path);
  out.type = "button";
  out.textContent = "×";
  out.title = told.remove.replace("{name}", path);
  out.setAttribute("aria-label", out.title);
  const remove = () => { items.delete(key); item.remove(); };
  out.addEventListener("click", () => {
    const next = (item.nextElementSibling ?? item.previousElementSibling)?.querySelector("button");
    remove();
    changed();
    (next ?? picker).focus();
  });
  item.append(name, state, out);
  list.append(item);
  return {
    remove,
    say(text, kind) { state.textContent = text; state.className = kind || ""; },
    begin(size) { out.remove(); bar.max = size || 1; item.append(bar); this.say(told.waiting); },
    show(bytes) { bar.value = Math.min(bytes, bar.max); this.say(percent.format(bytes / bar.max)); },
    end() { bar.remove(); this.say(told.done, "right"); },
    fail(text) { bar.remove(); item.insertBefore(out, null); this.say(text, "warn"); },
  };
}

const isUnsent = ({ state }) => state !== "arrived";
function changed() {
  const all = [...items.values()];
  list.hidden = all.length === 0;
  picker.required = !all.some(isUnsent);
  const around = form.closest("details");
  if (around && all.length > 0) around.open = true;
  if (all.length > 0 && picker.required) location.replace(location.pathname + "?sent=1");
}

/** Lists a file, or what can't be read (null). */
function take(file, path) {
  if (picker.disabled) return;
  const key = file === null ? path : keyOf(file, path);
  if (items.has(key)) return;
  // It was chosen again.
  for (const old of items.values()) if (old.state === "failed" && old.path === path) old.row.remove();
  if (items.size >= MOST_CHOSEN) return note(told.many);
  const row = rowOf(path, key);
  const reason = file === null ? told.changed : file.size > told.most ? told.size : null;
  items.set(key, { file, path, key, row, state: reason === null ? "chosen" : "failed" });
  if (reason === null) row.say(sizeText(file.size));
  else row.fail(reason);
}
function takeChosen({ target }) {
  for (const file of target.files) take(file, file.webkitRelativePath || file.name);
  target.value = "";
  changed();
}
function note(text) {
  for (const old of document.querySelectorAll(".note")) old.remove();
  const said = document.createElement("p");
  said.className = "note warn";
  said.setAttribute("role", "alert");
  said.textContent = text;
  form.prepend(said);
}
picker.addEventListener("change", takeChosen);
// The browser's button speaks another language. The list says what is chosen.
picker.parentElement.className = "pick";

if ("webkitdirectory" in picker) {
  const whole = document.createElement("input");
  whole.type = "file";
  whole.webkitdirectory = true;
  whole.addEventListener("change", takeChosen);
  const choose = document.createElement("button");
  choose.type = "button";
  choose.className = "plain";
  choose.textContent = told.whole;
  choose.addEventListener("click", () => whole.click());
  picker.parentElement.after(choose);
}

const hasFiles = ({ dataTransfer }) => [...dataTransfer.types].includes("Files");
document.addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
document.addEventListener("drop", async (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  // Afterwards browsers forget the files.
  const dropped = [...event.dataTransfer.items].filter(({ kind }) => kind === "file")
    .map((item) => ({ file: item.getAsFile(), entry: item.webkitGetAsEntry?.() }));
  for (const { file, entry } of dropped) {
    if (entry) await readDropped(entry, {
      file: (one, folders) => take(one, [...folders, one.name].join("/")),
      folder() {},
      unreadable: (names) => take(null, names.join("/")),
    });
    else if (file) take(file, file.name);
  }
  changed();
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
  for (const file of pasted) take(file, file.name);
  changed();
  button.focus();
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (picker.disabled) return;
  for (const file of picker.files) take(file, file.name);
  picker.value = "";
  changed();
  for (const old of document.querySelectorAll(".note")) old.remove();
  const waiting = [...items.values()].filter(isUnsent);
  const controls = form.querySelectorAll("input, button");
  for (const control of controls) control.disabled = true;
  addEventListener("beforeunload", stay);
  for (const { file, row } of waiting) row.begin(file?.size);
  for (const item of waiting) {
    try {
      await upload(item);
      item.state = "arrived";
      item.row.end();
    } catch (error) {
      item.state = "failed";
      item.row.fail(error.message);
    }
  }
  removeEventListener("beforeunload", stay);
  for (const control of controls) control.disabled = false;
  changed();
  if (picker.required) return;
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
    if (sent && document.querySelector("h2 + *")) document.querySelector("h2 + *").replaceWith(sent);
    if (facts) document.querySelector(".facts").replaceWith(facts);
    else if (note) {
      document.querySelector(".facts").replaceWith(note);
      form.remove();
    }
  } catch {}
}
function stay(event) { event.preventDefault(); }
})();`;
