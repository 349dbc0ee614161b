/** German. */
import type { StoredTexts } from "./en.ts";

export const deStored: StoredTexts = {
  title: "Was gespeichert wird",
  intro: "Aus den Einstellungen dieser Installation erstellt.",
  labels: { holds: "Gespeichert", purpose: "Wozu", ends: "Wie lange" },
  nothing: "nichts",
  until: (end) => end,
  days: (count) => (count === 1 ? "1 Tag" : `${count} Tage`),
  byHand: "bis ein Administrator es löscht",
  sums: {
    name: "Summen der Klicks",
    holds: ["Anzahl der Klicks je Link und Stunde"],
    purpose: "Zählen. Eine Summe sagt nichts über einzelne Besucher.",
    ends: (hours, days) =>
      `Summen je Stunde ${hours} Tage, Summen je Tag ${days} Tage; Summen je Monat bleiben`,
  },
  details: {
    name: "Einzelheiten der Klicks",
    purpose: "Auswertungen, wie Links genutzt werden.",
    signals: " Nicht von Besuchern, deren Browser Sec-GPC: 1 oder DNT: 1 sendet.",
    copied: " Ein ClickHouse-Server hat eine Kopie, bis dessen Verwalter sie löscht.",
  },
  parts: {
    referrer: "Seite, von der der Besucher kam",
    campaign: "Kampagne (utm_…)",
    agent: "User-Agent",
    language: "bevorzugte Sprache",
    network: "Netz der IP-Adresse (/24 bei IPv4, /48 bei IPv6)",
    address: "IP-Adresse",
    place: "Land und Stadt",
    click: "Link und Zeitpunkt",
  },
  journal: {
    name: "Journal der Klicks",
    purpose: "Zählt keinen Klick doppelt und verliert keinen, wenn Server oder Datenbank ausfallen.",
  },
  drops: {
    name: "Dateien, die Besucher an Briefkästen senden",
    holds: [
      "die Datei",
      "der Name, den der Absender angibt",
      "eine Zufallszahl aus einem Cookie",
      "ein Hash der Netzadresse, solange ein Upload nicht vollständig ist",
    ],
    purpose: "Der Besitzer des Briefkastens bekommt die Datei; der Absender sieht, was er gesendet hat.",
    ends: (days) =>
      `bis der Besitzer die Datei löscht; das Ereignis ihres Eingangs behält beide Namen ${days} Tage`,
  },
  reports: {
    name: "Meldungen zu Links",
    holds: ["Grund und Text, die der Besucher sendet"],
    purpose: "Administratoren sperren schädliche Links.",
    until: "bis der Link gelöscht wird",
  },
  recipients: {
    name: "Empfänger von Freigaben",
    holds: ["E-Mail-Adresse"],
    purpose:
      "Sie erhalten eine E-Mail mit dem Link, und einen Code, wenn die Freigabe den Nachweis einer Adresse verlangt.",
    until: "bis der Besitzer den Empfänger entfernt oder die Freigabe beendet",
  },
  visits: {
    name: "Besuche von Empfängern",
    holds: ["bestätigte E-Mail-Adresse, was geöffnet oder heruntergeladen wurde, und wann"],
    purpose:
      "Wer etwas für bestimmte Personen freigibt, sieht, ob es angekommen ist. Die Seite der Freigabe weist darauf hin.",
  },
  cookies: {
    name: "Cookies für Passwörter",
    holds: ["nur im Browser des Besuchers: dass ein Passwort richtig war"],
    purpose: "Der Besucher muss das Passwort eines Links oder einer Freigabe nicht noch einmal eingeben.",
  },
  accounts: {
    name: "Konten",
    holds: ["Name", "E-Mail-Adresse", "Hash des Passworts", "Rolle", "Schlüssel für die Anmeldung"],
    purpose: "Anmeldung.",
    until: "bis ein Administrator das Konto löscht",
  },
  sessions: {
    name: "Sitzungen",
    holds: ["Zeitpunkt", "IP-Adresse", "Browser und System"],
    purpose: "Angemeldet bleiben und sehen, wo man angemeldet ist.",
  },
  mails: {
    name: "E-Mails",
    holds: ["E-Mail-Adresse des Empfängers", "Art und Zeitpunkt", "Inhalt, bis sie gesendet ist"],
    purpose: "Senden und sehen, was daraus wurde.",
  },
  failed: {
    name: "Fehlgeschlagene Anmeldungen",
    holds: ["Name", "Anzahl und Zeitpunkt"],
    purpose: "Bremst alle, die Passwörter raten.",
  },
  events: {
    name: "Ereignisse",
    holds: ["wer wann was geändert hat"],
    purpose: "Nachvollziehbarkeit und Rückgängigmachen.",
  },
  deleted: {
    name: "Gelöschte Links",
    holds: ["der Link mit seinen Feldern"],
    purpose: "Links wiederherstellen.",
  },
  trash: {
    name: "Papierkorb",
    holds: ["Dateien und Ordner"],
    purpose: "Dateien wiederherstellen.",
  },
};
