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
  },
  people: {
    title: "This link is for people",
    sentence: "It opens for a limited number of people. Open it in a browser to go on.",
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
