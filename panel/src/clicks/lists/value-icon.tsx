/** Icons of listed values, made here: nothing is requested from the sites themselves. */
import {
  IconBrandAndroid,
  IconBrandApple,
  IconBrandBing,
  IconBrandChrome,
  IconBrandEdge,
  IconBrandFacebook,
  IconBrandFirefox,
  IconBrandGithub,
  IconBrandGoogle,
  IconBrandInstagram,
  IconBrandLinkedin,
  IconBrandOpera,
  IconBrandReddit,
  IconBrandSafari,
  IconBrandTelegram,
  IconBrandTiktok,
  IconBrandWhatsapp,
  IconBrandWindows,
  IconBrandX,
  IconBrandYoutube,
  IconCornerDownRight,
  IconDeviceDesktop,
  IconDeviceMobile,
  IconDeviceTablet,
  IconDots,
  IconMail,
  IconMessage,
  IconRobot,
  IconSearch,
  IconSpeakerphone,
  IconTerminal2,
  IconUsers,
  IconWorld,
  type TablerIcon,
} from "@tabler/icons-react";
import classes from "../clicks.module.css";
import type { Dimension, Value } from "../dimensions.ts";
import { flagOf, hasFlags } from "../names.ts";

const SITES: Record<string, TablerIcon> = {
  "bing.com": IconBrandBing,
  "facebook.com": IconBrandFacebook,
  "github.com": IconBrandGithub,
  "google.com": IconBrandGoogle,
  "instagram.com": IconBrandInstagram,
  "linkedin.com": IconBrandLinkedin,
  "mail.google.com": IconMail,
  "reddit.com": IconBrandReddit,
  "telegram.org": IconBrandTelegram,
  "tiktok.com": IconBrandTiktok,
  "whatsapp.com": IconBrandWhatsapp,
  "x.com": IconBrandX,
  "youtube.com": IconBrandYoutube,
};
const CHANNELS: Record<string, TablerIcon> = {
  direct: IconCornerDownRight,
  search: IconSearch,
  social: IconUsers,
  mail: IconMail,
  messenger: IconMessage,
  campaign: IconSpeakerphone,
};
const DEVICES: Record<string, TablerIcon> = {
  desktop: IconDeviceDesktop,
  mobile: IconDeviceMobile,
  tablet: IconDeviceTablet,
  bot: IconRobot,
};
/** By the beginning of names, such as `Chrome OS`. */
const AGENTS: readonly [name: string, icon: TablerIcon][] = [
  ["Chrom", IconBrandChrome],
  ["Safari", IconBrandSafari],
  ["Mobile Safari", IconBrandSafari],
  ["Firefox", IconBrandFirefox],
  ["Microsoft Edge", IconBrandEdge],
  ["Opera", IconBrandOpera],
  ["Instagram", IconBrandInstagram],
  ["Facebook", IconBrandFacebook],
  ["LinkedIn", IconBrandLinkedin],
  ["TikTok", IconBrandTiktok],
  ["Windows", IconBrandWindows],
  ["macOS", IconBrandApple],
  ["iOS", IconBrandApple],
  ["iPadOS", IconBrandApple],
  ["Android", IconBrandAndroid],
  ["Linux", IconTerminal2],
];

const ownIn = (icons: Record<string, TablerIcon>, name: string): TablerIcon | undefined =>
  Object.hasOwn(icons, name) ? icons[name] : undefined;

/** The icon of a value, or of what has none (`null`). */
function iconOf(dimension: Dimension, value: string | null): TablerIcon | undefined {
  if (value === null) return dimension === "site" ? IconCornerDownRight : undefined;
  if (dimension === "site") return ownIn(SITES, value);
  if (dimension === "channel") return ownIn(CHANNELS, value) ?? IconWorld;
  if (dimension === "device") return ownIn(DEVICES, value);
  return AGENTS.find(([name]) => value.startsWith(name))?.[1] ?? IconWorld;
}

const WITH_ICONS: readonly Dimension[] = ["site", "channel", "device", "browser", "os"];

type Props = { dimension: Dimension; value: Value | undefined; isRest?: boolean | undefined };

/** Nothing where a dimension has no icons, or the system no flags. */
export function ValueIcon({ dimension, value, isRest = false }: Props) {
  const isPlace = dimension === "country" || dimension === "city";
  if (!isPlace && !WITH_ICONS.includes(dimension)) return null;
  if (isPlace && !isRest) {
    const country = dimension === "city" ? value?.country : value?.value;
    const flag = country === undefined ? null : flagOf(country);
    return flag && <span className={classes["icon"]} data-text={flag} aria-hidden />;
  }
  if (isPlace && !hasFlags()) return null;
  const Icon = isRest ? IconDots : iconOf(dimension, value?.value ?? null);
  if (Icon === undefined)
    return (
      <span
        className={`${classes["icon"]} ${classes["letter"]}`}
        data-text={value?.value.charAt(0)}
        aria-hidden
      />
    );
  return (
    <span className={classes["icon"]} aria-hidden>
      <Icon size={16} stroke={1.5} />
    </span>
  );
}
