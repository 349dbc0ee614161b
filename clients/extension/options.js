/** The address and the token of the user's server. They stay in this browser. */
import {
  addressIn,
  ask,
  Refusal,
  requestPermission,
  storedServer,
  storeServer,
  text,
  translatePage,
} from "./server.js";

const element = (id) => document.getElementById(id);
const say = (message, isError = false) => {
  element("message").textContent = message;
  element("message").classList.toggle("error", isError);
};

translatePage();
element("url").placeholder = "https://go.example.com";
const stored = await storedServer();
if (stored !== null) {
  element("url").value = stored.url;
  element("token").value = stored.token;
}

element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const url = addressIn(element("url").value.trim());
  if (url === null) return say(text("noAddress"), true);
  // At once: the browser asks only within the click.
  void save({ url, token: element("token").value.trim() }, requestPermission(url));
});

async function save(server, permission) {
  try {
    if (!(await permission)) return say(text("noPermission"), true);
    const response = await ask(server, "/auth/me");
    const { data } = await response.json();
    await storeServer(server);
    say(text("saved", data.username));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    say(error.message, true);
  }
}
