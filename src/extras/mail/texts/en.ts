/** English: the mails that every language has. The other languages are catalogs of the same shape. */
export const enMails = {
  ifNot: "If the button does not work, open this address:",
  more: "… and {more} more",
  end: "End these mails",
  letters: {
    test: {
      subject: "Test mail from {instance}",
      lines: ["Sending works: this mail took the same route as every mail from {instance}."],
    },
    invitation: {
      subject: "Your account on {instance}",
      lines: [
        "{by} invites you to {instance}. Your username is {username}.",
        "Choose a password to begin. The link works once, within 24 hours.",
      ],
      action: "Choose a password",
    },
    invitation_plain: {
      subject: "Your account on {instance}",
      lines: [
        "You are invited to {instance}. Your username is {username}.",
        "Choose a password to begin. The link works once, within 24 hours.",
      ],
      action: "Choose a password",
    },
    reset: {
      subject: "New password for {instance}",
      lines: [
        "Somebody asked for a new password for your account {username}.",
        "The link works once, within one hour. Your password stays as it is until you choose another one.",
      ],
      action: "Choose a new password",
    },
    address: {
      subject: "Confirm your address for {instance}",
      lines: [
        "Confirm that mails for the account {username} should come to this address. The link works for 24 hours.",
      ],
      action: "Confirm this address",
    },
    sign_in: {
      subject: "New sign-in to {instance}",
      lines: [
        "Your account {username} was used to sign in from a browser that we have not seen before.",
        "Time: {at}\nAddress: {address}\nBrowser: {browser}",
        "If that was you, there is nothing to do. If not, change your password at once, which ends all sessions.",
      ],
      action: "Check my account",
    },
    passkey: {
      subject: "New passkey for {instance}",
      lines: [
        "A passkey was added to your account {username}. Whoever has it can sign in without the password.",
        "Time: {at}\nAddress: {address}\nBrowser: {browser}",
        "If that was you, there is nothing to do. If not, remove it in your account at once, and change your password.",
      ],
      action: "Check my account",
    },
    drop: {
      subject: "{count} files arrived in {title}",
      lines: ["{names}"],
      action: "Show the files",
    },
    drop_one: {
      subject: "A file arrived in {title}",
      lines: ["{names}"],
      action: "Show the files",
    },
    download: {
      subject: "{title} was downloaded {count} times",
      lines: ["People have downloaded what you share."],
      action: "Show my shares",
    },
    download_once: {
      subject: "{title} was downloaded",
      lines: ["Somebody has downloaded what you share."],
      action: "Show my shares",
    },
    share_ending: {
      subject: "{title} ends soon",
      lines: [
        "The share ends on {endsAt}. Then nobody can open it any more.",
        "You can change that in the list of your shares.",
      ],
      action: "Show my shares",
    },
    share_used_up: {
      subject: "{title} has no downloads left",
      lines: [
        "The share has been downloaded as often as it may be. Nobody can open it any more.",
        "You can change that in the list of your shares.",
      ],
      action: "Show my shares",
    },
    share_code: {
      subject: "{code} is your code for {title}",
      lines: [
        "Enter this code on the page of {title}: {code}",
        "It works once, within {minutes} minutes. If you did not ask for it, ignore this mail.",
      ],
    },
    report: {
      subject: "{title}, {period}",
      lines: ["{facts}", "{lists}"],
      action: "Show the report",
    },
    report_confirm: {
      subject: "Do you want {title} by mail?",
      lines: [
        "Somebody at {instance} wants to send you the report {title} regularly.",
        "You get it once you have confirmed. Otherwise there is nothing to do: no further mail comes.",
      ],
      action: "Get the report",
    },
    link_threshold: {
      subject: "{link} has reached {clicks} human clicks",
      lines: [
        "You are told at 100, 1,000, 10,000 human clicks and so on, or at the number that is set for the link.",
      ],
      action: "Show the clicks",
    },
    target_dead: {
      subject: "The target of {link} does not answer",
      lines: [
        "The link leads to {target}.",
        "The answer was: {reason}",
        "Visitors still get there. Give the link another target if the page has moved.",
      ],
      action: "Show the link",
    },
    backup: {
      subject: "The backup of {instance} failed",
      lines: [
        "The backup of {at} failed. There is no copy of what changed since the one before.",
        "{reason}",
      ],
    },
    webhook: {
      subject: "A webhook of {receiver} was disabled",
      lines: [
        "Every attempt of three days has failed.",
        "Nothing more is sent to it. Its log says what was missed. Enable it when the receiver is back.",
      ],
      action: "Show the webhooks",
    },
    webhook_gone: {
      subject: "A webhook of {receiver} was disabled",
      lines: [
        "Its receiver answered that it is gone (410).",
        "Nothing more is sent to it. Its log says what was missed. Enable it when the receiver is back.",
      ],
      action: "Show the webhooks",
    },
    certificate: {
      subject: "No new certificate for {host}",
      lines: [
        "The certificate authority has issued no certificate for: {names}",
        "{reason}",
        "Waymark keeps trying, at growing intervals. Until then visitors get the certificate from before, as long as it is valid.",
      ],
      action: "Show the state of the server",
    },
  },
  share: {
    subject: "{by} shares {title} with you",
    plain: "{by} shares {title} with you on {instance}.",
    plainOfInstance: "{instance} shares {title} with you.",
    messageFrom: "Message from {by}:",
    until: "It is available until {endsAt}.",
    verify: "The page asks for your address and sends a code to it.",
    password: "It asks for a password, which {by} gives you separately.",
    action: "Open",
    asksSubject: "{by} asks you for files: {title}",
    asks: "{by} asks you for files: {title}.",
    asksPlainSubject: "{by} asks you for files",
    asksPlain: "{by} asks you for files.",
    files: "{count} files",
    send: "Send files",
  },
  reader: {
    confirm: {
      title: "A report by mail",
      sentence: "Confirm that you want to get it. You can end it with any of its mails.",
      action: "Get the report",
    },
    confirmed: { title: "Confirmed", sentence: "The report comes by mail from now on." },
    end: {
      title: "End these mails",
      sentence: "You get no more mails of this report. Its owner can ask you whether you want them again.",
      action: "End these mails",
    },
    ended: { title: "The mails have ended", sentence: "You get no more mails of this report." },
    unknown: { title: "Not found", sentence: "These mails have ended already." },
  },
  reasons: {
    test: "An administrator sent you this mail as a test.",
    report: "You receive this report regularly from {instance}.",
    share: "You received this mail because a user of {instance} entered your address.",
    requested:
      "You received this mail because somebody entered your address. If that was not you, ignore it.",
    chosen: "You can turn off such mails in your account on {instance}.",
  },
};

export type MailTexts = typeof enMails;
