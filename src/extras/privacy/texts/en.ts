/** English: the texts that every language has, and those of the API. The other languages are catalogs of the same shape. */
export const enStored = {
  title: "What is stored",
  intro: "Made from the settings of this installation.",
  labels: {
    holds: "Stored",
    purpose: "Why",
    ends: "How long",
  },
  nothing: "nothing",
  until: "until {end}",
  days: {
    one: "{count} day",
    other: "{count} days",
  },
  byHand: "an administrator deletes it",
  sums: {
    name: "Sums of clicks",
    holds: ["number of clicks by link and hour"],
    purpose: "Counting. A sum tells nothing of a single visitor.",
    ends: "those of hours are {hours} days old and those of days {days}; those of months stay",
  },
  details: {
    name: "Details of clicks",
    purpose: "Reports of how links are used.",
    signals: " Not of visitors whose browser sends Sec-GPC: 1 or DNT: 1.",
    copied: " A ClickHouse server has a copy, until its administrator deletes it.",
  },
  parts: {
    referrer: "page from which the visitor came",
    campaign: "campaign (utm_…)",
    agent: "User-Agent",
    language: "preferred language",
    network: "network of the IP address (/24 of IPv4, /48 of IPv6)",
    address: "IP address",
    place: "country and city",
    click: "link and time",
  },
  journal: {
    name: "Journal of clicks",
    purpose: "Counts no click twice and loses none when the server or its database fails.",
  },
  unique: {
    name: "Unique visitors",
    holds: ["by day and link: a hash of address and User-Agent under a random key"],
    purpose:
      "Counting each visitor once a day. The key is destroyed after the day; then nobody can find out whose hash it was.",
    signals: " Not of visitors whose browser sends Sec-GPC: 1 or DNT: 1.",
  },
  missing: {
    name: "Codes that lead nowhere",
    holds: ["by day: the requested code, and how often"],
    purpose: "Finding misprints.",
  },
  drops: {
    name: "Files that visitors send to drop boxes",
    holds: [
      "the file",
      "the name and e-mail address that the sender gives",
      "a random number from a cookie",
      "while an upload is not complete, a hash of the network address",
    ],
    purpose: "The owner of the box gets the file; the sender sees what was sent.",
    ends: "the owner deletes the file; the event of its arrival keeps both names for {days} days",
  },
  reports: {
    name: "Reports about links",
    holds: ["reason and text that the visitor sends"],
    purpose: "Administrators take harmful links down.",
    until: "the link is deleted",
  },
  recipients: {
    name: "Recipients of shares",
    holds: ["mail address"],
    purpose: "They get a mail with the link, and a code where the share demands the proof of an address.",
    until: "the owner removes the recipient or ends the share",
  },
  visits: {
    name: "Visits of shares and drop boxes",
    holds: [
      "what was opened or downloaded, and when",
      "of recipients who prove it, the mail address",
      "with details of clicks, browser and system",
    ],
    purpose: "Whoever shares sees whether it arrived. The page tells recipients who prove their address.",
  },
  cookies: {
    name: "Cookies for passwords",
    holds: ["in the visitor's browser only: that a password was right"],
    purpose: "The visitor need not give the password of a link or share again.",
  },
  accounts: {
    name: "Accounts",
    holds: ["name", "mail address", "hash of the password", "role", "keys for signing in"],
    purpose: "Signing in.",
    until: "an administrator deletes the account",
  },
  sessions: {
    name: "Sessions",
    holds: ["time", "IP address", "browser and system"],
    purpose: "Staying signed in, and seeing where one is.",
  },
  mails: {
    name: "Mails",
    holds: ["mail address of the recipient", "kind and time", "content until it is sent"],
    purpose: "Sending them, and seeing what became of them.",
  },
  failed: {
    name: "Failed sign-ins",
    holds: ["name", "number and time"],
    purpose: "Slowing down those who guess passwords.",
  },
  events: {
    name: "Events",
    holds: ["who changed what, and when"],
    purpose: "Traceability, and undo.",
  },
  deleted: {
    name: "Deleted links",
    holds: ["the link with its fields"],
    purpose: "Putting links back.",
  },
  trash: {
    name: "Trash",
    holds: ["files and folders"],
    purpose: "Putting files back.",
  },
  versions: {
    name: "Former contents of files",
    holds: ["what a file had before it was replaced", "who uploaded it"],
    purpose: "Going back to what a file was.",
  },
};

export type StoredTexts = typeof enStored;
