/** Files with certificates: what is wrong with them, by file name with what to do, and when they expire. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { appError, messageOf } from "./errors.ts";

/** Where a certificate is set, and its file. An authority's file may have many, of which one must be valid. */
export type CertificateFile = { setting: string; path: string; kind: "chain" | "authorities" };

export type CertificateState = CertificateFile & {
  /** Expiry of the first certificate in a chain, of the last among authorities; null if the file can't be read. */
  notAfter: number | null;
  /** What is wrong, and what to do. `warning`: it works now. */
  trouble: { level: "warning" | "error"; message: string } | null;
};

const DAY_MS = 86_400_000;
/** Shorter for certificates that live shorter than 90 days: a third of their life is left then. */
const WARNED_MS = 30 * DAY_MS;

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;
const KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/;

const refused = (message: string, cause?: unknown) => appError("BadRequest", message, { cause });

function readText(path: string, setting: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const code = (cause as { code?: string }).code;
    const reason =
      code === "ENOENT"
        ? "does not exist"
        : code === "EACCES"
          ? "can't be read by this account; let it read the file"
          : `can't be read (${code ?? messageOf(cause)})`;
    throw refused(`${path} ${reason}. ${setting} must be a PEM file.`, cause);
  }
}

function certificatesIn(text: string, { setting, path }: Pick<CertificateFile, "setting" | "path">) {
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length === 0)
    throw refused(
      KEY.test(text)
        ? `${path} has a private key and no certificate. ${setting} must be the file with the certificate.`
        : `${path} has no certificate in PEM form. Convert it: openssl x509 -inform DER -in ${path} -out NEW.pem`,
    );
  try {
    return found.map((one) => new X509Certificate(one));
  } catch (cause) {
    throw refused(`${path} has a damaged certificate. Get the file again from who issued it.`, cause);
  }
}

function keyIn(text: string, path: string, setting: string) {
  if (!KEY.test(text))
    throw refused(
      text.includes("BEGIN CERTIFICATE")
        ? `${path} has a certificate and no private key. ${setting} must be the file with the key.`
        : `${path} has no private key in PEM form. ${setting} must be the file with the certificate's key.`,
    );
  try {
    return createPrivateKey(text);
  } catch (cause) {
    const isEncrypted = /ENCRYPTED/.test(text);
    throw refused(
      isEncrypted
        ? `${path} is encrypted, and no one can enter its passphrase at start-up. Decrypt it: openssl pkey -in ${path} -out NEW.key`
        : `${path} has a damaged private key. Get it again, or have a certificate issued for a new one.`,
      cause,
    );
  }
}

/** The first in a chain that the next one did not issue, from 1; null if the order is right. */
function wrongOrderAt(chain: readonly X509Certificate[]): number | null {
  const at = chain.findIndex((one, index) => index + 1 < chain.length && !one.checkIssued(chain[index + 1]!));
  return at < 0 ? null : at + 1;
}

/** @throws BadRequest naming the file and what to do */
export function readAuthorities(path: string, setting: string): string {
  const text = readText(path, setting);
  certificatesIn(text, { setting, path });
  return text;
}

export type KeyPair = { cert: string; key: string };

/** Reads what serves HTTPS. @throws BadRequest naming the file and what to do, if it can't serve */
function readCertificateAndKey(
  cert: Pick<CertificateFile, "setting" | "path">,
  key: Pick<CertificateFile, "setting" | "path">,
): KeyPair {
  const pair = { cert: readText(cert.path, cert.setting), key: readText(key.path, key.setting) };
  const chain = certificatesIn(pair.cert, cert);
  const privateKey = keyIn(pair.key, key.path, key.setting);
  if (chain[0]!.checkPrivateKey(privateKey)) return pair;
  const own = chain.findIndex((one) => one.checkPrivateKey(privateKey));
  throw refused(
    own < 0
      ? `${key.path} is not the key of the certificate in ${cert.path}. Set ${cert.setting} and ${key.setting} to files that belong together.`
      : `${cert.path} has its certificates in the wrong order: the one of ${key.path} is number ${own + 1} and must be the first. Put it there, then the one that issued it, and so on.`,
  );
}

/** @throws BadRequest naming the file and what to do */
export function readServerPair(cert: string, key: string): KeyPair {
  return readCertificateAndKey(
    { setting: "server.tls_cert", path: cert },
    { setting: "server.tls_key", path: key },
  );
}

/** Why they can't serve; null if they can. */
export function readKeyTrouble(cert: string, key: string): string | null {
  try {
    readServerPair(cert, key);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** `2026-11-29`, in UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

function troubleOf(file: CertificateFile, all: readonly X509Certificate[], now: number): CertificateState {
  const timeOf = ({ validFrom, validTo }: X509Certificate) =>
    [Date.parse(validFrom), Date.parse(validTo)] as const;
  const times = all.map(timeOf).toSorted(([, a], [, b]) => a - b);
  const [notBefore, notAfter] = file.kind === "chain" ? times[0]! : times.at(-1)!;
  const renew = `Renew it, then ${adviceOf(file)} (${file.setting}).`;
  const wrong = file.kind === "chain" ? wrongOrderAt(all) : null;
  const state = (level: "warning" | "error", message: string) => ({
    ...file,
    notAfter,
    trouble: { level, message },
  });
  if (notAfter <= now)
    return state(
      "error",
      `The certificate in ${file.path} expired on ${dayOf(notAfter)}: clients refuse it. ${renew}`,
    );
  if (notBefore > now)
    return state(
      "error",
      `The certificate in ${file.path} is not valid before ${dayOf(notBefore)}: clients refuse it. Check this machine's clock, or use the one before until then.`,
    );
  if (wrong !== null)
    return state(
      "warning",
      `${file.path} has its certificates in the wrong order: number ${wrong + 1} did not issue number ${wrong}, so some clients refuse them. Put the server's certificate first, then the one that issued it, and so on.`,
    );
  if (notAfter - now < Math.min(WARNED_MS, (notAfter - notBefore) / 3))
    return state("warning", `The certificate in ${file.path} expires on ${dayOf(notAfter)}. ${renew}`);
  return { ...file, notAfter, trouble: null };
}

/** Never throws: a file that can't be read is an error of its state. */
export function readCertificateState(file: CertificateFile, now: number): CertificateState {
  try {
    return troubleOf(file, certificatesIn(readText(file.path, file.setting), file), now);
  } catch (error) {
    return { ...file, notAfter: null, trouble: { level: "error", message: messageOf(error) } };
  }
}

/** What puts a renewed file to use. The server reads its own again on SIGHUP. */
const adviceOf = ({ kind }: CertificateFile): string =>
  kind === "chain" ? "run 'systemctl reload waymark' or send SIGHUP" : "restart Waymark";

const capitalized = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

/** The states of certificates that a process has read, as far as the files show it. */
export function watchCertificates(files: readonly CertificateFile[], now: () => number) {
  let loaded = files.map((file) => readCertificateState(file, now()));
  const states = (): CertificateState[] =>
    loaded.map((one) => {
      const state = readCertificateState(one, now());
      const isRenewed = one.notAfter !== null && state.notAfter !== null && state.notAfter !== one.notAfter;
      if (!isRenewed) return state;
      const message = `${one.path} was changed, and this server still uses the former certificate, which expires on ${dayOf(one.notAfter!)}. ${capitalized(adviceOf(one))}.`;
      return {
        ...state,
        notAfter: one.notAfter,
        trouble: { level: one.notAfter! <= now() ? "error" : "warning", message },
      };
    });
  return {
    states,
    /** The server has read its certificate again. */
    serverReloaded: (): void =>
      void (loaded = loaded.map((one) => (one.kind === "chain" ? readCertificateState(one, now()) : one))),
  };
}
