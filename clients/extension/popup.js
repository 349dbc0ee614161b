/** Shortens the address of the tab, copies the short URL and shows it as a QR code. */
import { ask, currentTab, openOptions, Refusal, storedServer, text, translatePage } from "./server.js";

const element = (id) => document.getElementById(id);
const say = (message, isError = false) => {
  element("message").textContent = message;
  element("message").classList.toggle("error", isError);
};

translatePage();
element("code").placeholder = text("codePlaceholder");
element("options").addEventListener("click", openOptions);
const [server, tab] = await Promise.all([storedServer(), currentTab()]);
const canBeShortened = /^https?:\/\//i.test(tab.url);
element("target").textContent = tab.url;
if (server === null) {
  element("form").hidden = true;
  say(text("noServer"));
} else if (!canBeShortened) {
  element("form").hidden = true;
  say(text("noPage"));
} else element("code").focus();

element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  void shorten(element("code").value.trim());
});
element("copy").addEventListener("click", () => void copy());

async function shorten(code) {
  element("shorten").disabled = true;
  say("");
  try {
    // Without a code the same page gets the same link again.
    const body = code === "" ? { target: tab.url, reuse: true } : { target: tab.url, code };
    const response = await ask(server, "/links", { method: "POST", body });
    const { data } = await response.json();
    element("short").value = data.short_url;
    element("form").hidden = true;
    element("made").hidden = false;
    await copy();
    await showQr(data);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    say(error.message, true);
  } finally {
    element("shorten").disabled = false;
  }
}

async function copy() {
  const field = element("short");
  field.select();
  const isCopied = await navigator.clipboard.writeText(field.value).then(
    () => true,
    () => document.execCommand("copy"),
  );
  say(isCopied ? text("copied") : text("copyYourself"));
}

/** A token that may not read links gets none. */
async function showQr({ code, domain, short_url: shortUrl }) {
  const query = new URLSearchParams({ format: "png", size: "400", margin: "2" });
  if (domain !== null) query.set("domain", domain);
  const response = await ask(server, `/links/${encodeURIComponent(code)}/qr?${query}`).catch(() => null);
  if (response === null) return;
  const picture = element("qr");
  picture.src = URL.createObjectURL(await response.blob());
  picture.alt = text("qrOf", shortUrl);
  picture.hidden = false;
}
