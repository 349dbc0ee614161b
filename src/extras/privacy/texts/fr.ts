/** French. */
import type { StoredTexts } from "./en.ts";

export const frStored: StoredTexts = {
  title: "Ce qui est enregistré",
  intro: "Établi d’après les réglages de cette installation.",
  labels: { holds: "Enregistré", purpose: "Pourquoi", ends: "Durée" },
  nothing: "rien",
  until: (end) => end,
  days: (count) => (count === 1 ? "1 jour" : `${count} jours`),
  byHand: "jusqu’à ce qu’un administrateur les supprime",
  sums: {
    name: "Totaux des clics",
    holds: ["nombre de clics par lien et par heure"],
    purpose: "Compter. Un total ne dit rien d’un visiteur en particulier.",
    ends: (hours, days) =>
      `totaux par heure : ${hours} jours ; totaux par jour : ${days} jours ; les totaux par mois sont conservés`,
  },
  details: {
    name: "Détails des clics",
    purpose: "Rapports sur l’utilisation des liens.",
    signals: " Pas pour les visiteurs dont le navigateur envoie Sec-GPC: 1 ou DNT: 1.",
    copied: " Un serveur ClickHouse en a une copie, jusqu’à ce que son administrateur la supprime.",
  },
  parts: {
    referrer: "page d’où vient le visiteur",
    campaign: "campagne (utm_…)",
    agent: "User-Agent",
    language: "langue préférée",
    network: "réseau de l’adresse IP (/24 en IPv4, /48 en IPv6)",
    address: "adresse IP",
    place: "pays et ville",
    click: "lien et heure",
  },
  journal: {
    name: "Journal des clics",
    purpose: "Ne compte aucun clic deux fois et n’en perd aucun en cas de panne du serveur ou de sa base.",
  },
  drops: {
    name: "Fichiers que les visiteurs déposent dans les boîtes de dépôt",
    holds: [
      "le fichier",
      "le nom indiqué par l’expéditeur",
      "un nombre aléatoire venant d’un cookie",
      "une empreinte de l’adresse réseau tant qu’un envoi n’est pas terminé",
    ],
    purpose: "Le propriétaire de la boîte reçoit le fichier ; l’expéditeur voit ce qu’il a envoyé.",
    ends: (days) =>
      `jusqu’à ce que le propriétaire supprime le fichier ; l’événement de son arrivée garde les deux noms ${days} jours`,
  },
  reports: {
    name: "Signalements de liens",
    holds: ["le motif et le texte que le visiteur envoie"],
    purpose: "Les administrateurs retirent les liens nuisibles.",
    until: "jusqu’à la suppression du lien",
  },
  recipients: {
    name: "Destinataires des partages",
    holds: ["adresse e-mail"],
    purpose:
      "Ils reçoivent un e-mail avec le lien, et un code si le partage demande la preuve d’une adresse.",
    until: "jusqu’à ce que le propriétaire retire le destinataire ou mette fin au partage",
  },
  visits: {
    name: "Visites des destinataires",
    holds: ["adresse e-mail prouvée, ce qui a été ouvert ou téléchargé, et quand"],
    purpose:
      "La personne qui partage avec certaines personnes voit si cela est arrivé. La page du partage le dit.",
  },
  cookies: {
    name: "Cookies pour les mots de passe",
    holds: ["uniquement dans le navigateur du visiteur : le fait qu’un mot de passe était correct"],
    purpose: "Le visiteur n’a pas à redonner le mot de passe d’un lien ou d’un partage.",
  },
  accounts: {
    name: "Comptes",
    holds: ["nom", "adresse e-mail", "empreinte du mot de passe", "rôle", "clés de connexion"],
    purpose: "Se connecter.",
    until: "jusqu’à ce qu’un administrateur supprime le compte",
  },
  sessions: {
    name: "Sessions",
    holds: ["heure", "adresse IP", "navigateur et système"],
    purpose: "Rester connecté et voir où on l’est.",
  },
  mails: {
    name: "E-mails",
    holds: ["adresse e-mail du destinataire", "type et heure", "contenu jusqu’à l’envoi"],
    purpose: "Les envoyer et voir ce qu’ils sont devenus.",
  },
  failed: {
    name: "Échecs de connexion",
    holds: ["nom", "nombre et heure"],
    purpose: "Ralentir ceux qui devinent des mots de passe.",
  },
  events: {
    name: "Événements",
    holds: ["qui a modifié quoi, et quand"],
    purpose: "Traçabilité et annulation.",
  },
  deleted: {
    name: "Liens supprimés",
    holds: ["le lien avec ses champs"],
    purpose: "Restaurer des liens.",
  },
  trash: {
    name: "Corbeille",
    holds: ["fichiers et dossiers"],
    purpose: "Restaurer des fichiers.",
  },
};
