/**
 * The site of a referring host. It is computed when a report is asked for, so a change of this file joins the past too.
 *
 * Sources: hosts of Matomo's searchengine-and-social-list and of Snowplow's referer-parser; link shims and short hosts as
 * the sites' own documents name them (l.facebook.com, t.co, lnkd.in, away.vk.com, slack-redir.net …); apps by their names
 * in Google Play, which Android sends as `android-app://` referrers.
 */
import { remembered } from "../../lib/remembered.ts";

/** An entry covers its subdomains; the longest one decides. `name.*`: below any country. */
const HOSTS: Readonly<Record<string, string>> = {
  "facebook.com": "facebook.com fb.com fb.me fb.watch com.facebook.katana com.facebook.lite",
  "messenger.com": "messenger.com m.me com.facebook.orca com.facebook.mlite",
  "instagram.com": "instagram.com ig.me com.instagram.android",
  "threads.com": "threads.com threads.net com.instagram.barcelona",
  "whatsapp.com": "whatsapp.com wa.me l.wl.co com.whatsapp com.whatsapp.w4b",
  "x.com": "x.com twitter.com t.co com.twitter.android",
  "linkedin.com": "linkedin.com lnkd.in com.linkedin.android",
  "reddit.com": "reddit.com redd.it com.reddit.frontpage",
  "pinterest.com": "pinterest.* pin.it com.pinterest",
  "tiktok.com": "tiktok.com com.zhiliaoapp.musically com.ss.android.ugc.trill",
  "snapchat.com": "snapchat.com com.snapchat.android",
  "tumblr.com": "tumblr.com t.umblr.com com.tumblr",
  "bsky.app": "bsky.app xyz.blueskyweb.app",
  "vk.com": "vk.com vk.ru com.vkontakte.android",
  "ok.ru": "ok.ru odnoklassniki.ru ru.ok.android",
  "weibo.com": "weibo.com weibo.cn t.cn com.sina.weibo",
  "xing.com": "xing.com com.xing.android",
  "youtube.com": "youtube.com youtu.be com.google.android.youtube",
  "google.com": "google.* com.google.android.googlequicksearchbox",
  "mail.google.com": "mail.google.com com.google.android.gm",
  "chat.google.com": "chat.google.com com.google.android.apps.dynamite",
  "messages.google.com": "messages.google.com com.google.android.apps.messaging",
  "news.google.com": "news.google.com com.google.android.apps.magazines",
  "maps.google.com": "maps.google.com com.google.android.apps.maps",
  "docs.google.com": "docs.google.com com.google.android.apps.docs",
  "drive.google.com": "drive.google.com",
  "sites.google.com": "sites.google.com",
  "classroom.google.com": "classroom.google.com com.google.android.apps.classroom",
  "calendar.google.com": "calendar.google.com com.google.android.calendar",
  "meet.google.com": "meet.google.com com.google.android.apps.meetings",
  "translate.google.com": "translate.google.* translate.goog",
  "gemini.google.com": "gemini.google.com com.google.android.apps.bard",
  "bing.com": "bing.com com.microsoft.bing",
  "duckduckgo.com": "duckduckgo.com com.duckduckgo.mobile.android",
  "yahoo.com": "yahoo.*",
  "mail.yahoo.com": "mail.yahoo.* com.yahoo.mobile.client.android.mail",
  "yandex.com": "yandex.* ya.ru com.yandex.browser ru.yandex.searchplugin",
  "mail.yandex.com": "mail.yandex.* ru.yandex.mail",
  "baidu.com": "baidu.com com.baidu.searchbox",
  "naver.com": "naver.com com.nhn.android.search",
  "mail.naver.com": "mail.naver.com com.nhn.android.mail",
  "ecosia.org": "ecosia.org com.ecosia.android",
  "chatgpt.com": "chatgpt.com chat.openai.com com.openai.chatgpt",
  "perplexity.ai": "perplexity.ai ai.perplexity.app.android",
  "outlook.com":
    "outlook.com outlook.live.com outlook.office.com outlook.office365.com com.microsoft.office.outlook",
  "teams.microsoft.com": "teams.microsoft.com teams.live.com teams.cdn.office.net com.microsoft.teams",
  "proton.me": "mail.proton.me protonmail.com ch.protonmail.android",
  "telegram.org": "telegram.org telegram.me t.me org.telegram.messenger org.telegram.messenger.web",
  "discord.com": "discord.com discordapp.com discord.gg com.discord",
  "slack.com": "slack.com slack-redir.net com.slack",
  "signal.org": "signal.org signal.me org.thoughtcrime.securesms",
  "line.me": "line.me com.linecorp.line",
  "kakao.com": "kakao.com com.kakao.talk",
  "amazon.com": "amazon.* amzn.to com.amazon.mshop.android.shopping",
  "wikipedia.org": "wikipedia.org org.wikipedia",
};

const siteByEntry: ReadonlyMap<string, string> = new Map(
  Object.entries(HOSTS).flatMap(([site, entries]) => entries.split(" ").map((entry) => [entry, site])),
);

/** What follows `name.*`. */
const COUNTRY = /^(?:com?\.|org\.|net\.)?[a-z]{2,3}$/;
/** Of the same site in another form. Two labels follow. */
const FORM = /^(?:www\d?|m|mobile|amp)\.(?=[^.]+\.[^.])/;

/** @param host in lower case */
export const siteOf = remembered((host): string => listedSite(host) ?? host.replace(FORM, ""), {
  most: 20_000,
});

function listedSite(host: string): string | null {
  for (let at = 0; ; ) {
    const known = siteByEntry.get(host.slice(at));
    if (known !== undefined) return known;
    const dot = host.indexOf(".", at);
    if (dot === -1) return null;
    // The country of `translate.google.de` begins after two labels.
    for (let end = dot; end !== -1; end = host.indexOf(".", end + 1)) {
      const named = siteByEntry.get(`${host.slice(at, end)}.*`);
      if (named !== undefined && COUNTRY.test(host.slice(end + 1))) return named;
    }
    at = dot + 1;
  }
}

/** Hosts that may be of a site: these, and all that end in one of them. */
export const hostsOfSite = (site: string): { hosts: string[]; starts: string[] } => {
  const entries = HOSTS[site]?.split(" ") ?? [site];
  return {
    hosts: entries.filter((entry) => !entry.endsWith(".*")),
    starts: entries.filter((entry) => entry.endsWith(".*")).map((entry) => entry.slice(0, -1)),
  };
};
