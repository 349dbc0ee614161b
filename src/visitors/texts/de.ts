/** German. */
import type { VisitorTexts } from "./en.ts";

export const de: VisitorTexts = {
  site: { imprint: "Impressum", notice: "Datenschutz" },
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
  recipient: {
    title: "Adresse bestätigen",
    intro:
      "Diese Freigabe ist für bestimmte Personen. Geben Sie Ihre E-Mail-Adresse ein, um einen Code zu erhalten.",
    seen: "Wer sie freigegeben hat, sieht, was Sie öffnen und herunterladen und wann.",
    address: "E-Mail-Adresse",
    send: "Code senden",
    noAddress: "Das ist keine E-Mail-Adresse.",
    codeTitle: "Code eingeben",
    sent: (email: string) =>
      `Falls ${email} zu den Adressen gehört, für die diese Freigabe ist, ist ein Code unterwegs. Er gilt 10 Minuten.`,
    code: "Sechsstelliger Code",
    again: "Neuen Code senden",
    wrong: "Dieser Code ist falsch oder abgelaufen.",
    accepted: "Code angenommen",
    downloads:
      "Der Code ist richtig. Der Download beginnt von selbst. Falls nicht, nutzen Sie die Schaltfläche.",
    noMail: {
      title: "Gerade nicht möglich",
      sentence:
        "Diese Freigabe verlangt einen Code per E-Mail, und der Server kann gerade keine senden. Versuchen Sie es später noch einmal.",
    },
  },
  drop: {
    title: "Dateien senden",
    intro:
      "Was Sie senden, geht an die Person, der diese Seite gehört. Sie sehen nur, was Sie selbst gesendet haben.",
    introOf: (name: string) =>
      `Was Sie senden, geht an ${name}. Sie sehen nur, was Sie selbst gesendet haben.`,
    filesLeft: "Noch freie Dateien",
    roomLeft: "Freier Platz",
    largest: "Größte Datei",
    until: "Offen bis",
    yourName: "Ihr Name (freiwillig)",
    choose: "Dateien auswählen oder hierher ziehen",
    send: "Senden",
    add: "Dateien hinzufügen",
    sent: "Von Ihnen gesendet",
    nothing: "Sie haben noch nichts gesendet.",
    notRemembered:
      "Diese Seite kann nicht auflisten, was Sie gesendet haben: Der Browser kann sich nichts merken, weil sie ohne HTTPS kam.",
    arrived: "Danke. Ihre Dateien sind angekommen.",
    closed: "Hier können keine Dateien mehr hinzugefügt werden.",
    ended: {
      title: "Nicht gefunden",
      sentence: "Diesen Briefkasten gibt es nicht, oder er ist geschlossen.",
    },
    refused: {
      ended: "Dieser Briefkasten ist geschlossen. Es wurde nichts gespeichert.",
      full: "Hier können keine Dateien mehr hinzugefügt werden. Es wurde nichts gespeichert.",
      room: "Hier ist nicht mehr genug Platz. Es wurde nichts gespeichert.",
      size: "Eine Datei ist größer als hier erlaubt. Es wurde nichts gespeichert.",
      busy: "Gerade senden andere Dateien. Versuchen Sie es gleich noch einmal. Es wurde nichts gespeichert.",
      rate: "Sie senden zu viele Dateien auf einmal. Versuchen Sie es gleich noch einmal. Es wurde nichts gespeichert.",
      form: "Keine Datei kam vollständig an. Wählen Sie Dateien aus und senden Sie sie noch einmal. Es wurde nichts gespeichert.",
      storage:
        "Der Speicher des Servers ist voll. Versuchen Sie es später noch einmal. Es wurde nichts gespeichert.",
      failed:
        "Die Dateien lassen sich gerade nicht speichern. Versuchen Sie es später noch einmal. Es wurde nichts gespeichert.",
    },
    script: {
      text: "Eingefügter Text",
      picture: "Eingefügtes Bild",
      waiting: "Wartet",
      done: "Angekommen",
      broken: "Die Verbindung ist unterbrochen. Das Hochladen geht weiter, sobald sie wieder da ist.",
      again: "Noch einmal senden",
      changed:
        "Diese Datei wurde geändert oder lässt sich nicht mehr lesen und wurde deshalb nicht gesendet. Wählen Sie sie noch einmal aus.",
      folder: "Ordner lassen sich hier nicht senden. Wählen Sie stattdessen die Dateien darin aus.",
      pieces:
        "Die Verbindung weist selbst kleine Teile einer Datei zurück. Versuchen Sie es über ein anderes Netz, oder sagen Sie der Person Bescheid, von der Sie diesen Link haben.",
    },
  },
  people: {
    title: "Dieser Link ist für Menschen",
    sentence: "Er öffnet sich für eine begrenzte Zahl von Menschen. Öffnen Sie ihn in einem Browser.",
  },
  offline: {
    title: "Keine Verbindung",
    sentence:
      "Der Server ist nicht zu erreichen. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.",
    again: "Noch einmal versuchen",
  },
  lost: {
    root: {
      title: "Ein Dienst für Kurzlinks",
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
    waiting: {
      title: "Dieser Link wartet auf Freigabe",
      sentence: "Er öffnet sich, sobald ein Administrator dieses Servers sein Ziel freigegeben hat.",
    },
    takenDown: {
      title: "Dieser Link wurde gesperrt",
      sentence: "Die Administratoren dieses Servers haben ihn geschlossen.",
    },
  },
  target: {
    title: "Wohin dieser Link führt",
    leads: "Dieser Link führt zu",
    own: "Dieser Link führt zu Dateien auf diesem Server.",
    rules: "Regeln des Links führen manche Besucher woandershin.",
    go: "Link öffnen",
    report: "Diesen Link melden",
    why: "Was ist damit nicht in Ordnung?",
    details: "Einzelheiten (freiwillig)",
    send: "Meldung senden",
    thanks: "Danke. Die Administratoren dieses Servers haben Ihre Meldung.",
    full: "Zu diesem Link gibt es schon genug Meldungen. Die Administratoren wissen davon.",
    reasons: {
      phishing: "Er stiehlt Passwörter oder Daten",
      malware: "Er verbreitet Schadsoftware",
      spam: "Er ist Spam",
      illegal: "Sein Inhalt ist verboten",
      other: "Etwas anderes",
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
    damaged: {
      title: "Diese Datei ist beschädigt",
      sentence:
        "Ihr Inhalt lässt sich nicht mehr lesen. Bitten Sie die Person, die sie freigegeben hat, um eine neue Kopie.",
    },
    away: {
      title: "Gerade nicht erreichbar",
      sentence: "Der Speicher dieser Datei antwortet nicht. Versuchen Sie es später noch einmal.",
    },
    download: "Herunterladen",
    from: (name: string) => `Von ${name}`,
    several: "Geteilte Dateien",
    downloadAll: "Alles herunterladen",
    downloads:
      "Das Passwort ist richtig. Der Download beginnt von selbst. Wenn nicht, benutzen Sie die Schaltfläche.",
    folder: "Ordner",
    path: "Übergeordnete Ordner",
    empty: "Dieser Ordner ist leer.",
    folders: (_, shown) => `${shown} Ordner`,
    files: (count, shown) => (count === 1 ? "1 Datei" : `${shown} Dateien`),
    pages: "Seiten",
    part: (from, to, total) => `${from} bis ${to} von ${total}`,
    previous: "Zurück",
    more: "Weiter",
    large: "Dieser Ordner hat sehr viele Einträge. Jede Seite ist für sich sortiert.",
    added: "Hinzugefügt",
    until: "Verfügbar bis",
    left: "Verbleibende Downloads",
    leftOf: (left, most) => `${left} von ${most}`,
    checksum: "SHA-256-Prüfsumme",
    copy: "Kopieren",
    copied: "Kopiert",
    preview: "Vorschau",
    beginning: (size) => `Die ersten ${size} der Datei.`,
    noPdf:
      "Dieser Browser kann ein PDF nicht zeigen, ohne auszuführen, was darin steckt. Laden Sie es herunter, um es zu lesen.",
    pdfPage: "Seite {n} von {total}",
    pdfMore: "Nur die ersten {count} Seiten werden gezeigt. Laden Sie die Datei herunter, um alles zu lesen.",
    kinds: {
      picture: "Bild",
      video: "Videodatei",
      audio: "Tonaufnahme",
      pdf: "PDF-Dokument",
      text: "Textdatei",
      document: "Dokument",
      table: "Tabelle",
      slides: "Präsentation",
      archive: "Archiv",
      program: "Programm",
      other: "Datei",
    },
  },
};
