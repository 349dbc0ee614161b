/** English: the texts that every language has. */
export const en = {
  password: {
    title: "Password needed",
    link: "This link is protected by a password.",
    share: "This share is protected by a password.",
    label: "Password",
    open: "Open",
    wrong: "This password is wrong.",
    wait: (time: string) => `Too many tries. Try again in ${time}.`,
    busy: (time: string) => `The password can't be checked just now. Try again in ${time}.`,
    accepted: "Password accepted",
    opens: "The link opens by itself. If it does not, use the button.",
    notKept:
      "The browser can’t remember it, because this page came without HTTPS. Open the address with https:// in front, or tell whoever runs this server.",
  },
  drop: {
    title: "Send files",
    intro: "What you send goes to the owner of this page. You see only what you sent yourself.",
    filesLeft: "Files that still fit",
    roomLeft: "Room left",
    largest: "Largest file",
    until: "Open until",
    yourName: "Your name (optional)",
    choose: "Choose files, or drop them here",
    send: "Send",
    sent: "What you sent",
    nothing: "You have sent nothing yet.",
    arrived: "Thank you. Your files have arrived.",
    closed: "This drop box is full: it takes no more files.",
    ended: { title: "Not found", sentence: "This drop box does not exist or has ended." },
    refused: {
      ended: "This drop box has ended. Nothing was stored.",
      full: "This drop box takes no more files. Nothing was stored.",
      room: "This drop box has not enough room left. Nothing was stored.",
      size: "A file is larger than this drop box takes. Nothing was stored.",
      busy: "Others are sending files just now. Try again in a moment. Nothing was stored.",
      rate: "You send too many files at once. Try again in a moment. Nothing was stored.",
      form: "No file arrived whole. Choose files and send them again. Nothing was stored.",
      failed: "The files can't be stored just now. Try again later. Nothing was stored.",
    },
    script: {
      waiting: "Waiting",
      done: "Arrived",
      broken: "The connection broke. The upload goes on as soon as it is back.",
      again: "Send again",
    },
  },
  people: {
    title: "This link is for people",
    sentence: "It opens for a limited number of people. Open it in a browser to go on.",
  },
  lost: {
    root: {
      title: "A service for short links",
      sentence: "This address alone leads nowhere. Open the whole link that you were given.",
    },
    unknown: {
      title: "This link leads nowhere",
      sentence:
        "The address may be mistyped, or the link is not available. Check it, or ask the person who gave it to you.",
    },
    expired: {
      title: "This link has expired",
      sentence: "It was open for a limited time. Ask the person who gave it to you for a new one.",
    },
    usedUp: {
      title: "This link is used up",
      sentence: "It opened for a limited number of people. Ask the person who gave it to you for a new one.",
    },
  },
  share: {
    notFound: { title: "Not found", sentence: "This share does not exist or has ended." },
    usedUp: { title: "Not available", sentence: "All downloads of this share are used up." },
    notNow: { title: "Not now", sentence: "This can't be opened just now. Try again later." },
    failed: { title: "Something went wrong", sentence: "Try again later." },
    download: "Download",
    downloads: "The password is right. The download starts by itself. If it does not, use the button.",
    folder: "Folder",
    foldersAbove: "Folders above",
    empty: "This folder is empty.",
    chooseFile: "Choose a file to download it.",
    chooseFolder: "Choose a folder to open it.",
    more: "More",
  },
};

export type VisitorTexts = typeof en;
