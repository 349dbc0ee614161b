/** German. */
import type { VisitorTexts } from "./en.ts";

export const de: VisitorTexts = {
  password: {
    title: "Passwort erforderlich",
    link: "Dieser Link ist durch ein Passwort geschützt.",
    share: "Diese Freigabe ist durch ein Passwort geschützt.",
    label: "Passwort",
    open: "Öffnen",
    wrong: "Dieses Passwort ist falsch.",
    wait: (time) => `Zu viele Versuche. Versuchen Sie es in ${time} noch einmal.`,
    busy: (time) => `Das Passwort kann gerade nicht geprüft werden. Versuchen Sie es in ${time} noch einmal.`,
    accepted: "Passwort angenommen",
    opens: "Der Link öffnet sich von selbst. Wenn nicht, benutzen Sie die Schaltfläche.",
    notKept:
      "Der Browser kann es sich nicht merken, weil diese Seite ohne HTTPS kam. Öffnen Sie die Adresse mit https:// davor, oder sagen Sie es der Person, die diesen Server betreibt.",
  },
  people: {
    title: "Dieser Link ist für Menschen",
    sentence: "Er öffnet sich für eine begrenzte Zahl von Menschen. Öffnen Sie ihn in einem Browser.",
  },
  lost: {
    root: {
      title: "Hier wohnen Kurzlinks",
      sentence:
        "Diese Adresse allein führt nirgendwohin. Öffnen Sie den ganzen Link, den Sie bekommen haben.",
    },
    unknown: {
      title: "Dieser Link führt nirgendwohin",
      sentence:
        "Vielleicht enthält die Adresse einen Tippfehler, oder der Link ist nicht verfügbar. Prüfen Sie ihn, oder fragen Sie, wer ihn Ihnen gegeben hat.",
    },
    expired: {
      title: "Dieser Link ist abgelaufen",
      sentence: "Er galt für begrenzte Zeit. Bitten Sie die Person, von der Sie ihn haben, um einen neuen.",
    },
    usedUp: {
      title: "Dieser Link ist verbraucht",
      sentence:
        "Er galt für eine begrenzte Zahl von Menschen. Bitten Sie die Person, von der Sie ihn haben, um einen neuen.",
    },
  },
  share: {
    notFound: { title: "Nicht gefunden", sentence: "Diese Freigabe gibt es nicht, oder sie ist beendet." },
    usedUp: { title: "Nicht verfügbar", sentence: "Alle Downloads dieser Freigabe sind verbraucht." },
    notNow: {
      title: "Gerade nicht möglich",
      sentence: "Das lässt sich im Moment nicht öffnen. Versuchen Sie es später noch einmal.",
    },
    failed: { title: "Etwas ist schiefgegangen", sentence: "Versuchen Sie es später noch einmal." },
    download: "Herunterladen",
    downloads:
      "Das Passwort ist richtig. Der Download beginnt von selbst. Wenn nicht, benutzen Sie die Schaltfläche.",
    folder: "Ordner",
    foldersAbove: "Übergeordnete Ordner",
    empty: "Dieser Ordner ist leer.",
    chooseFile: "Wählen Sie eine Datei, um sie herunterzuladen.",
    chooseFolder: "Wählen Sie einen Ordner, um ihn zu öffnen.",
    more: "Mehr",
  },
};
