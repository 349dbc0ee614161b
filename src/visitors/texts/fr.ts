/** French. */
import type { VisitorTexts } from "./en.ts";

export const fr: VisitorTexts = {
  password: {
    title: "Mot de passe requis",
    link: "Ce lien est protégé par un mot de passe.",
    share: "Ce partage est protégé par un mot de passe.",
    label: "Mot de passe",
    open: "Ouvrir",
    wrong: "Ce mot de passe est incorrect.",
    wait: (time) => `Trop de tentatives. Réessayez dans ${time}.`,
    busy: (time) => `Le mot de passe ne peut pas être vérifié pour le moment. Réessayez dans ${time}.`,
    accepted: "Mot de passe accepté",
    opens: "Le lien s’ouvre tout seul. Sinon, utilisez le bouton.",
  },
  people: {
    title: "Ce lien s’adresse à des personnes",
    sentence: "Il s’ouvre pour un nombre limité de personnes. Ouvrez-le dans un navigateur.",
  },
  share: {
    notFound: { title: "Introuvable", sentence: "Ce partage n’existe pas ou a pris fin." },
    usedUp: { title: "Indisponible", sentence: "Tous les téléchargements de ce partage ont été utilisés." },
    notNow: {
      title: "Pas maintenant",
      sentence: "Ce contenu ne peut pas être ouvert pour le moment. Réessayez plus tard.",
    },
    failed: { title: "Une erreur s’est produite", sentence: "Réessayez plus tard." },
    download: "Télécharger",
    downloads: "Le mot de passe est correct. Le téléchargement démarre tout seul. Sinon, utilisez le bouton.",
    folder: "Dossier",
    foldersAbove: "Dossiers parents",
    empty: "Ce dossier est vide.",
    chooseFile: "Choisissez un fichier pour le télécharger.",
    chooseFolder: "Choisissez un dossier pour l’ouvrir.",
    more: "Plus",
  },
};
