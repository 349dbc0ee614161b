/** French. */
import type { VisitorTexts } from "./en.ts";

export const fr: VisitorTexts = {
  site: { imprint: "Mentions légales", notice: "Confidentialité" },
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
  recipient: {
    title: "Confirmez votre adresse",
    intro:
      "Ce partage est réservé à certaines personnes. Saisissez votre adresse e-mail pour recevoir un code.",
    seen: "La personne qui partage voit ce que vous ouvrez et téléchargez, et quand.",
    address: "Adresse e-mail",
    send: "Envoyer le code",
    noAddress: "Ce n’est pas une adresse e-mail.",
    codeTitle: "Saisissez le code",
    sent: (email: string) =>
      `Si ${email} fait partie des adresses avec lesquelles ceci est partagé, un code est en route. Il est valable 10 minutes.`,
    code: "Code à six chiffres",
    again: "Envoyer un autre code",
    wrong: "Ce code est faux ou a expiré.",
    accepted: "Code accepté",
    downloads:
      "Le code est bon. Le téléchargement démarre tout seul. Si ce n’est pas le cas, utilisez le bouton.",
    noMail: {
      title: "Pas maintenant",
      sentence:
        "Ce partage demande un code par e-mail, et le serveur ne peut pas en envoyer pour l’instant. Réessayez plus tard.",
    },
  },
  drop: {
    title: "Envoyer des fichiers",
    intro:
      "Ce que vous envoyez parvient au propriétaire de cette page. Vous ne voyez que vos propres envois.",
    introOf: (name: string) =>
      `Ce que vous envoyez parvient à ${name}. Vous ne voyez que vos propres envois.`,
    filesLeft: "Fichiers encore possibles",
    roomLeft: "Place restante",
    largest: "Taille maximale d’un fichier",
    until: "Ouvert jusqu’au",
    yourName: "Votre nom (facultatif)",
    choose: "Choisissez des fichiers ou déposez-les ici",
    send: "Envoyer",
    add: "Ajouter des fichiers",
    sent: "Vos envois",
    nothing: "Vous n’avez encore rien envoyé.",
    notRemembered:
      "Cette page ne peut pas lister ce que vous avez envoyé : le navigateur ne retient rien, car elle est venue sans HTTPS.",
    arrived: "Merci. Vos fichiers sont bien arrivés.",
    closed: "Plus aucun fichier ne peut être ajouté ici.",
    ended: { title: "Introuvable", sentence: "Cette boîte de dépôt n’existe pas ou a été fermée." },
    refused: {
      ended: "Cette boîte de dépôt est fermée. Rien n’a été enregistré.",
      full: "Plus aucun fichier ne peut être ajouté ici. Rien n’a été enregistré.",
      room: "Il ne reste pas assez de place ici. Rien n’a été enregistré.",
      size: "Un fichier dépasse la taille autorisée ici. Rien n’a été enregistré.",
      busy: "D’autres personnes envoient des fichiers. Réessayez dans un instant. Rien n’a été enregistré.",
      rate: "Vous envoyez trop de fichiers à la fois. Réessayez dans un instant. Rien n’a été enregistré.",
      form: "Aucun fichier n’est arrivé en entier. Choisissez des fichiers et renvoyez-les. Rien n’a été enregistré.",
      storage: "L’espace de stockage du serveur est plein. Réessayez plus tard. Rien n’a été enregistré.",
      failed:
        "Les fichiers ne peuvent pas être enregistrés pour le moment. Réessayez plus tard. Rien n’a été enregistré.",
    },
    script: {
      text: "Texte collé",
      picture: "Image collée",
      waiting: "En attente",
      done: "Arrivé",
      broken: "La connexion est interrompue. L’envoi reprendra dès son retour.",
      again: "Renvoyer",
      changed:
        "Ce fichier a été modifié ou n’est plus lisible : il n’a pas été envoyé. Choisissez-le de nouveau.",
      folder:
        "Les dossiers ne peuvent pas être envoyés ici. Choisissez plutôt les fichiers qu’ils contiennent.",
      pieces:
        "La connexion refuse même de petites parties d’un fichier. Essayez un autre réseau ou prévenez la personne qui vous a donné ce lien.",
    },
  },
  people: {
    title: "Ce lien s’adresse à des personnes",
    sentence: "Il s’ouvre pour un nombre limité de personnes. Ouvrez-le dans un navigateur.",
  },
  offline: {
    title: "Vous êtes hors ligne",
    sentence: "Le serveur est injoignable. Vérifiez la connexion, puis réessayez.",
    again: "Réessayer",
  },
  lost: {
    root: {
      title: "Un service de liens courts",
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
    waiting: {
      title: "Ce lien attend une approbation",
      sentence: "Il s’ouvrira dès qu’un administrateur de ce serveur aura approuvé sa cible.",
    },
    takenDown: { title: "Ce lien a été retiré", sentence: "Les administrateurs de ce serveur l’ont fermé." },
  },
  target: {
    title: "Où mène ce lien",
    leads: "Ce lien mène à",
    own: "Ce lien mène à des fichiers sur ce serveur.",
    rules: "Certains visiteurs sont menés ailleurs, selon les règles du lien.",
    go: "Ouvrir le lien",
    report: "Signaler ce lien",
    why: "Quel est le problème ?",
    details: "Détails (facultatif)",
    send: "Envoyer le signalement",
    thanks: "Merci. Les administrateurs de ce serveur ont reçu votre signalement.",
    full: "Ce lien a déjà été signalé assez souvent. Les administrateurs sont au courant.",
    reasons: {
      phishing: "Il vole des mots de passe ou des données",
      malware: "Il diffuse des logiciels malveillants",
      spam: "C’est du spam",
      illegal: "Son contenu est illégal",
      other: "Autre chose",
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
    damaged: {
      title: "Ce fichier est endommagé",
      sentence: "Son contenu n’est plus lisible. Demandez une nouvelle copie à la personne qui l’a partagé.",
    },
    away: {
      title: "Inaccessible pour le moment",
      sentence: "Le stockage de ce fichier ne répond pas. Réessayez plus tard.",
    },
    download: "Télécharger",
    from: (name: string) => `Partagé par ${name}`,
    several: "Fichiers partagés",
    downloadAll: "Tout télécharger",
    downloads: "Le mot de passe est correct. Le téléchargement démarre tout seul. Sinon, utilisez le bouton.",
    folder: "Dossier",
    path: "Dossiers parents",
    empty: "Ce dossier est vide.",
    folders: (count, shown) => (count < 2 ? `${shown} dossier` : `${shown} dossiers`),
    files: (count, shown) => (count < 2 ? `${shown} fichier` : `${shown} fichiers`),
    pages: "Pagination",
    part: (from, to, total) => `${from} à ${to} sur ${total}`,
    previous: "Précédent",
    more: "Suivant",
    large: "Ce dossier est très volumineux. Chaque page est triée séparément.",
    added: "Ajouté le",
    until: "Disponible jusqu’au",
    left: "Téléchargements restants",
    leftOf: (left, most) => `${left} sur ${most}`,
    checksum: "Somme de contrôle SHA-256",
    copy: "Copier",
    copied: "Copié",
    preview: "Aperçu",
    beginning: (size) => `Les premiers ${size} du fichier.`,
    noPdf:
      "Ce navigateur ne peut pas afficher un PDF sans exécuter ce qu’il contient. Téléchargez-le pour le lire.",
    pdfPage: "Page {n} sur {total}",
    pdfMore: "Seules les {count} premières pages sont affichées. Téléchargez le fichier pour tout lire.",
    kinds: {
      picture: "Image",
      video: "Vidéo",
      audio: "Fichier audio",
      pdf: "Document PDF",
      text: "Texte",
      document: "Document texte",
      table: "Feuille de calcul",
      slides: "Présentation",
      archive: "Fichier compressé",
      program: "Programme",
      other: "Fichier",
    },
  },
};
