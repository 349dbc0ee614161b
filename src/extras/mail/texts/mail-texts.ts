import type { Language } from "../../../lib/language.ts";
import de from "./de.json";
import { enMails, type MailTexts } from "./en.ts";
import fr from "./fr.json";
import ja from "./ja.json";
import zh from "./zh.json";

export const MAIL_TEXTS: Readonly<Record<Language, MailTexts>> = { en: enMails, de, fr, zh, ja };
