/** The user's server: its address and token, and requests to its API. */

const api = globalThis.browser ?? globalThis.chrome;

export const text = (name, ...given) => api.i18n.getMessage(name, given);

/** Fills elements with `data-text` and sets the language. */
export function translatePage() {
  document.documentElement.lang = api.i18n.getUILanguage();
  for (const element of document.querySelectorAll("[data-text]"))
    element.textContent = text(element.dataset.text);
}

/** Null until the user has set it. */
export async function storedServer() {
  const { url = "", token = "" } = await api.storage.local.get(["url", "token"]);
  return url === "" || token === "" ? null : { url, token };
}

export const storeServer = (server) => api.storage.local.set(server);

/** The address without what it lacks; null if it is none. A path is that of the admin API. */
export function addressIn(given) {
  const url = URL.parse(/^https?:\/\//i.test(given) ? given : `https://${given}`);
  // Browsers write spaces in hosts as %20.
  const isUsable = url !== null && url.username === "" && !url.hostname.includes("%");
  return !isUsable ? null : (url.origin + url.pathname).replace(/\/+$/, "");
}

export const permissionFor = (url) => ({ origins: [`${new URL(url).protocol}//${new URL(url).hostname}/*`] });

/** Ask it in a click: browsers show their question then only. */
export const requestPermission = (url) => api.permissions.request(permissionFor(url));

export const openOptions = () => api.runtime.openOptionsPage();

/** The tab that the user looks at. */
export async function currentTab() {
  const [tab] = await api.tabs.query({ active: true, currentWindow: true });
  return { url: tab?.url ?? "", title: tab?.title ?? "" };
}

/** A sentence for people, in its message. */
export class Refusal extends Error {}

/** The response of a path below the API. @throws Refusal */
export async function ask({ url, token }, path, { method = "GET", body } = {}) {
  const base = new URL(url).pathname === "/" ? `${url}/admin` : url;
  const headers = { Authorization: `Bearer ${token}`, Prefer: "handling=strict" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const request = { method, headers, credentials: "omit", redirect: "error" };
  if (body !== undefined) request.body = JSON.stringify(body);
  const response = await fetch(`${base}/v1${path}`, request).catch(() => null);
  if (response === null) throw new Refusal(text("unreachable", new URL(url).host));
  if (response.ok) return response;
  const told = await response.json().catch(() => null);
  if (response.status === 401) throw new Refusal(text("wrongToken"));
  throw new Refusal(told?.message ?? text("strangeAnswer", String(response.status)));
}
