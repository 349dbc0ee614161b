const HOST_MAX_LENGTH = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const wrong = (error: string) => ({ error });

/** Lower-case and in Punycode, or `{error}`, a sentence. */
export function checkHost(text: string): string | { error: string } {
  const host = text.trim();
  if (host === "") return wrong("The host is empty; give a name such as go.example.com.");
  if (host.includes("://")) return wrong("Give the host alone, without a scheme such as https://.");
  if (/[/?#\\]/.test(host)) return wrong("Give the host alone, without a path.");
  if (host.includes("@")) return wrong("Give the host alone, without a user name.");
  if (/^\[|:.*:/.test(host)) return wrong(NO_ADDRESS);
  if (host.includes(":")) return wrong("Give the host without a port.");
  // The URL parser drops or decodes these.
  if (/[\s%\p{Cc}]/u.test(host)) return wrong(NOT_A_NAME);
  const name = URL.parse(`http://${host}`)?.hostname;
  if (name === undefined) return wrong(NOT_A_NAME);
  if (name.endsWith(".")) return wrong("Leave out the dot at the end of the host.");
  if (/^[\d.]+$/.test(name)) return wrong(NO_ADDRESS);
  if (name.length > HOST_MAX_LENGTH) return wrong(`A host has at most ${HOST_MAX_LENGTH} characters.`);
  return name.split(".").every((label) => LABEL.test(label)) ? name : wrong(NOT_A_NAME);
}

const NO_ADDRESS = "The host is an IP address; give a name such as go.example.com.";
const NOT_A_NAME = "The host is not a valid name; give one such as go.example.com.";
