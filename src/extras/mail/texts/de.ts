import { listed, type MailTexts } from "./en.ts";

export const deMails: MailTexts = {
  ifNot: "Wenn die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:",
  test: (_, { instance }) => ({
    subject: `Test-E-Mail von ${instance}`,
    lines: [`Diese E-Mail ging den Weg jeder E-Mail von ${instance}: Der Versand funktioniert.`],
  }),
  invitation: ({ username, by }, { instance }) => ({
    subject: `Ihr Konto bei ${instance}`,
    lines: [
      `${by} hat für Sie ein Konto bei ${instance} angelegt. Ihr Benutzername ist ${username}.`,
      "Wählen Sie zuerst ein Passwort. Der Link gilt einmal, innerhalb von 24 Stunden.",
    ],
    action: "Passwort wählen",
  }),
  reset: ({ username }, { instance }) => ({
    subject: `Neues Passwort für ${instance}`,
    lines: [
      `Jemand hat für Ihr Konto ${username} ein neues Passwort angefordert.`,
      "Der Link gilt einmal, innerhalb einer Stunde. Ihr Passwort bleibt, bis Sie ein anderes wählen.",
    ],
    action: "Neues Passwort wählen",
  }),
  address: ({ username }, { instance }) => ({
    subject: `Bestätigen Sie Ihre Adresse für ${instance}`,
    lines: [
      `Bestätigen Sie, dass E-Mails für das Konto ${username} an diese Adresse gehen sollen. Der Link gilt 24 Stunden.`,
    ],
    action: "Adresse bestätigen",
  }),
  sign_in: ({ username, address, browser, at }, { instance, time }) => ({
    subject: `Neue Anmeldung bei ${instance}`,
    lines: [
      `Mit Ihrem Konto ${username} hat sich ein Browser angemeldet, den wir noch nicht kennen.`,
      `Zeit: ${time(at)}\nAdresse: ${address}\nBrowser: ${browser}`,
      "Wenn Sie das waren, ist nichts zu tun. Wenn nicht, ändern Sie sofort Ihr Passwort: Das beendet alle Sitzungen.",
    ],
    action: "Mein Konto prüfen",
  }),
  passkey: ({ username, address, browser, at }, { instance, time }) => ({
    subject: `Neuer Passkey für ${instance}`,
    lines: [
      `Ihrem Konto ${username} wurde ein Passkey hinzugefügt. Wer ihn hat, kann sich ohne Passwort anmelden.`,
      `Zeit: ${time(at)}\nAdresse: ${address}\nBrowser: ${browser}`,
      "Wenn Sie das waren, ist nichts zu tun. Wenn nicht, entfernen Sie ihn sofort in Ihrem Konto und ändern Sie Ihr Passwort.",
    ],
    action: "Mein Konto prüfen",
  }),
  drop: ({ title, count, names }, facts) => ({
    subject:
      count === 1 ? `Eine Datei für ${title} ist da` : `${facts.number(count)} Dateien für ${title} sind da`,
    lines: [listed(names, count, (more) => `… und ${facts.number(more)} weitere`)],
    action: "Dateien zeigen",
  }),
  download: ({ title, count }, { number }) => ({
    subject:
      count === 1 ? `${title} wurde heruntergeladen` : `${title} wurde ${number(count)}-mal heruntergeladen`,
    lines: ["Was Sie freigegeben haben, wurde heruntergeladen."],
    action: "Meine Freigaben zeigen",
  }),
  share_ending: ({ title, endsAt }, { time }) => ({
    subject: endsAt === null ? `${title}: keine Downloads mehr übrig` : `${title} endet bald`,
    lines: [
      endsAt === null
        ? "Die Freigabe wurde so oft heruntergeladen, wie sie darf. Niemand kann sie mehr öffnen."
        : `Die Freigabe endet am ${time(endsAt)}. Dann kann niemand sie mehr öffnen.`,
      "In der Liste Ihrer Freigaben können Sie das ändern.",
    ],
    action: "Meine Freigaben zeigen",
  }),
  share: ({ title, message, by, endsAt, password, verify }, { instance, time }) => ({
    subject: `${by} teilt ${title} mit Ihnen`,
    lines: [
      ...(message === null
        ? [`${by} teilt ${title} auf ${instance} mit Ihnen.`]
        : [`Nachricht von ${by}:`, message]),
      ...(endsAt === null ? [] : [`Verfügbar bis ${time(endsAt)}.`]),
      ...(verify ? ["Die Seite fragt nach Ihrer Adresse und schickt einen Code dorthin."] : []),
      ...(password ? [`Sie fragt nach einem Passwort, das ${by} Ihnen auf anderem Weg gibt.`] : []),
    ],
    action: "Öffnen",
  }),
  share_code: ({ title, code, minutes }) => ({
    subject: `${code} ist Ihr Code für ${title}`,
    lines: [
      `Geben Sie diesen Code auf der Seite von ${title} ein: ${code}`,
      `Er gilt einmal, innerhalb von ${minutes} Minuten. Haben Sie ihn nicht angefordert, ignorieren Sie diese E-Mail.`,
    ],
  }),
  link_threshold: ({ link, clicks }, { number }) => ({
    subject: `${link} hat ${number(clicks)} Klicks erreicht`,
    lines: [
      "Sie erfahren von 100, 1.000, 10.000 Klicks und so weiter, oder von der Zahl, die für den Link eingestellt ist.",
    ],
    action: "Zahlen zeigen",
  }),
  target_dead: ({ link, target, reason }) => ({
    subject: `Das Ziel von ${link} antwortet nicht`,
    lines: [
      `Der Link führt zu ${target}.`,
      `Was zurückkam: ${reason}`,
      "Besucher gelangen weiterhin dorthin. Geben Sie dem Link ein anderes Ziel, wenn die Seite umgezogen ist.",
    ],
    action: "Link zeigen",
  }),
  backup: ({ reason, at }, { instance, time }) => ({
    subject: `Die Sicherung von ${instance} ist fehlgeschlagen`,
    lines: [
      `Die Sicherung vom ${time(at)} ist fehlgeschlagen. Was sich seit der letzten geändert hat, ist nicht gesichert.`,
      reason,
    ],
  }),
  webhook: ({ receiver, isGone }) => ({
    subject: `Ein Webhook von ${receiver} wurde deaktiviert`,
    lines: [
      isGone
        ? "Die Gegenstelle hat geantwortet, dass es sie nicht mehr gibt (410)."
        : "Drei Tage lang ist jeder Versuch gescheitert.",
      "Es wird nichts mehr dorthin gesendet. Das Protokoll zeigt, was fehlt. Aktivieren Sie den Webhook, sobald die Gegenstelle wieder da ist.",
    ],
    action: "Webhooks zeigen",
  }),
  reasons: {
    test: () => "Ein Administrator hat Ihnen diese E-Mail zur Probe geschickt.",
    share: (instance) =>
      `Sie erhalten diese E-Mail, weil jemand auf ${instance} Ihre Adresse eingegeben hat.`,
    asked: () =>
      "Sie erhalten diese E-Mail, weil jemand Ihre Adresse eingegeben hat. Wenn Sie das nicht waren, beachten Sie sie nicht.",
    chosen: (instance) => `In Ihrem Konto bei ${instance} können Sie solche E-Mails abschalten.`,
  },
};
