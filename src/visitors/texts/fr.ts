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
    notKept:
      "Le navigateur ne peut pas le retenir, car cette page est venue sans HTTPS. Ouvrez l’adresse avec https:// au début, ou prévenez la personne qui gère ce serveur.",
  },
  people: {
    title: "Ce lien s’adresse à des personnes",
    sentence: "Il s’ouvre pour un nombre limité de personnes. Ouvrez-le dans un navigateur.",
  },
  lost: {
    root: {
      title: "Ici vivent des liens courts",
      sentence: "Cette adresse seule ne mène nulle part. Ouvrez le lien complet que vous avez reçu.",
    },
    unknown: {
      title: "Ce lien ne mène nulle part",
      sentence:
        "L’adresse est peut-être mal saisie, ou le lien n’est pas disponible. Vérifiez-le ou demandez à la personne qui vous l’a donné.",
    },
    expired: {
      title: "Ce lien a expiré",
      sentence:
        "Il était ouvert pour une durée limitée. Demandez-en un nouveau à la personne qui vous l’a donné.",
    },
    usedUp: {
      title: "Ce lien est épuisé",
      sentence:
        "Il s’ouvrait pour un nombre limité de personnes. Demandez-en un nouveau à la personne qui vous l’a donné.",
    },
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
