import { listed, type MailTexts } from "./en.ts";

export const frMails: MailTexts = {
  ifNot: "Si le bouton ne fonctionne pas, ouvrez cette adresse :",
  test: (_, { instance }) => ({
    subject: `Message de test de ${instance}`,
    lines: [`Ce message a suivi le chemin de tous les messages de ${instance} : l’envoi fonctionne.`],
  }),
  invitation: ({ username, by }, { instance }) => ({
    subject: `Votre compte sur ${instance}`,
    lines: [
      `${by} a créé pour vous un compte sur ${instance}. Votre nom d’utilisateur est ${username}.`,
      "Choisissez d’abord un mot de passe. Le lien est valable une fois, pendant 24 heures.",
    ],
    action: "Choisir un mot de passe",
  }),
  reset: ({ username }, { instance }) => ({
    subject: `Nouveau mot de passe pour ${instance}`,
    lines: [
      `Quelqu’un a demandé un nouveau mot de passe pour votre compte ${username}.`,
      "Le lien est valable une fois, pendant une heure. Votre mot de passe reste le même jusqu’à ce que vous en choisissiez un autre.",
    ],
    action: "Choisir un nouveau mot de passe",
  }),
  address: ({ username }, { instance }) => ({
    subject: `Confirmez votre adresse pour ${instance}`,
    lines: [
      `Confirmez que les messages du compte ${username} doivent arriver à cette adresse. Le lien est valable 24 heures.`,
    ],
    action: "Confirmer l’adresse",
  }),
  sign_in: ({ username, address, browser, at }, { instance, time }) => ({
    subject: `Nouvelle connexion à ${instance}`,
    lines: [
      `Une connexion à votre compte ${username} a eu lieu depuis un navigateur que nous ne connaissions pas.`,
      `Date : ${time(at)}\nAdresse : ${address}\nNavigateur : ${browser}`,
      "Si c’était vous, il n’y a rien à faire. Sinon, changez tout de suite votre mot de passe : cela met fin à toutes les sessions.",
    ],
    action: "Vérifier mon compte",
  }),
  passkey: ({ username, address, browser, at }, { instance, time }) => ({
    subject: `Nouvelle clé d’accès pour ${instance}`,
    lines: [
      `Une clé d’accès a été ajoutée à votre compte ${username}. Qui la possède peut se connecter sans mot de passe.`,
      `Date : ${time(at)}\nAdresse : ${address}\nNavigateur : ${browser}`,
      "Si c’était vous, il n’y a rien à faire. Sinon, supprimez-la tout de suite dans votre compte et changez votre mot de passe.",
    ],
    action: "Vérifier mon compte",
  }),
  drop: ({ title, count, names }, facts) => ({
    subject:
      count === 1
        ? `Un fichier est arrivé dans ${title}`
        : `${facts.number(count)} fichiers sont arrivés dans ${title}`,
    lines: [listed(names, count, (more) => `… et ${facts.number(more)} de plus`)],
    action: "Afficher les fichiers",
  }),
  download: ({ title, count }, { number }) => ({
    subject: count === 1 ? `${title} a été téléchargé` : `${title} a été téléchargé ${number(count)} fois`,
    lines: ["Ce que vous partagez a été téléchargé."],
    action: "Afficher mes partages",
  }),
  share_ending: ({ title, endsAt }, { time }) => ({
    subject: endsAt === null ? `${title} : plus aucun téléchargement possible` : `${title} expire bientôt`,
    lines: [
      endsAt === null
        ? "Le partage a été téléchargé autant de fois que permis. Plus personne ne peut l’ouvrir."
        : `Le partage expire le ${time(endsAt)}. Ensuite, plus personne ne pourra l’ouvrir.`,
      "Vous pouvez changer cela dans la liste de vos partages.",
    ],
    action: "Afficher mes partages",
  }),
  share: ({ title, message, by, endsAt, password, verify }, { instance, time }) => ({
    subject: `${by} partage ${title} avec vous`,
    lines: [
      ...(message === null
        ? [`${by} partage ${title} avec vous sur ${instance}.`]
        : [`Message de ${by} :`, message]),
      ...(endsAt === null ? [] : [`Disponible jusqu’au ${time(endsAt)}.`]),
      ...(verify ? ["La page demande votre adresse et y envoie un code."] : []),
      ...(password ? [`Elle demande un mot de passe, que ${by} vous donne par une autre voie.`] : []),
    ],
    action: "Ouvrir",
  }),
  share_code: ({ title, code, minutes }) => ({
    subject: `${code} est votre code pour ${title}`,
    lines: [
      `Saisissez ce code sur la page de ${title} : ${code}`,
      `Il sert une seule fois, dans les ${minutes} minutes. Si vous ne l’avez pas demandé, ignorez cet e-mail.`,
    ],
  }),
  link_threshold: ({ link, clicks }, { number }) => ({
    subject: `${link} a atteint ${number(clicks)} clics`,
    lines: ["Vous êtes averti à 100, 1 000, 10 000 clics et ainsi de suite, ou au nombre fixé pour le lien."],
    action: "Afficher les chiffres",
  }),
  target_dead: ({ link, target, reason }) => ({
    subject: `La cible de ${link} ne répond pas`,
    lines: [
      `Le lien mène à ${target}.`,
      `Réponse obtenue : ${reason}`,
      "Les visiteurs y sont toujours envoyés. Donnez au lien une autre cible si la page a changé d’adresse.",
    ],
    action: "Afficher le lien",
  }),
  backup: ({ reason, at }, { instance, time }) => ({
    subject: `La sauvegarde de ${instance} a échoué`,
    lines: [
      `La sauvegarde du ${time(at)} a échoué. Ce qui a changé depuis la précédente n’est pas sauvegardé.`,
      reason,
    ],
  }),
  webhook: ({ receiver, isGone }) => ({
    subject: `Un webhook de ${receiver} a été désactivé`,
    lines: [
      isGone
        ? "Le serveur a répondu que l’adresse n’existe plus (410)."
        : "Toutes les tentatives ont échoué pendant trois jours.",
      "Plus rien ne lui est envoyé. Son journal montre ce qui a manqué. Activez-le quand le serveur est de retour.",
    ],
    action: "Afficher les webhooks",
  }),
  reasons: {
    test: () => "Un administrateur vous a envoyé ce message pour un essai.",
    share: (instance) => `Vous recevez cet e-mail parce que quelqu’un a saisi votre adresse sur ${instance}.`,
    asked: () =>
      "Vous recevez ce message parce que quelqu’un a saisi votre adresse. Si ce n’était pas vous, ignorez-le.",
    chosen: (instance) => `Vous pouvez désactiver ces messages dans votre compte sur ${instance}.`,
  },
};
