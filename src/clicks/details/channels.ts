/**
 * The channel of a click: how its visitor came. UTM values decide before the referring host, the host before the app.
 *
 * Sources: hosts from Matomo's searchengine-and-social-list (2026-07; it counts assistants such as ChatGPT as search)
 * and the e-mail and chat parts of Snowplow's referer-parser; Android apps by their names in Google Play; mediums from
 * the default channel groups of Google Analytics 4.
 */
import { remembered } from "../../lib/remembered.ts";
import type { Campaign } from "./origin.ts";

export const CHANNELS = ["direct", "search", "social", "mail", "messenger", "campaign", "other"] as const;
type Channel = (typeof CHANNELS)[number];

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Their subdomains count too; the longest entry decides. `name.*`: below any country. */
const HOSTS: Partial<Record<Channel, string[]>> = {
  search: words(`
    google.* com.google.android.googlequicksearchbox bing.com duckduckgo.com com.duckduckgo.mobile.android yahoo.*
    yandex.* ya.ru baidu.com so.com sogou.com sm.cn naver.com daum.net seznam.cz ecosia.org qwant.com startpage.com
    search.brave.com kagi.com mojeek.com metager.de metager.org swisscows.com presearch.com ask.com aol.* lycos.com
    dogpile.com goo.ne.jp coccoc.com go.mail.ru karmasearch.org lilo.org
    chatgpt.com chat.openai.com perplexity.ai claude.ai copilot.microsoft.com chat.deepseek.com grok.com
    chat.mistral.ai meta.ai you.com duck.ai chat.qwen.ai iask.ai`),
  social: words(`
    facebook.com fb.com fb.me com.facebook.katana com.facebook.lite instagram.com com.instagram.android threads.net
    threads.com com.instagram.barcelona linkedin.com lnkd.in com.linkedin.android twitter.com x.com t.co
    com.twitter.android reddit.com com.reddit.frontpage pinterest.* pin.it com.pinterest tiktok.com
    com.zhiliaoapp.musically douyin.com snapchat.com com.snapchat.android youtube.com youtu.be
    com.google.android.youtube vimeo.com twitch.tv tumblr.com t.umblr.com com.tumblr bsky.app xyz.blueskyweb.app
    mastodon.social mastodon.online mastodon.world mas.to mstdn.social mstdn.jp fosstodon.org hachyderm.io chaos.social
    troet.cafe infosec.exchange org.joinmastodon.android pixelfed.social lemmy.world vk.com com.vkontakte.android ok.ru
    odnoklassniki.ru my.mail.ru weibo.com weibo.cn t.cn zhihu.com douban.com bilibili.com xiaohongshu.com qzone.qq.com
    v2ex.com mixi.jp nicovideo.jp xing.com viadeo.com quora.com news.ycombinator.com lobste.rs nextdoor.com flickr.com
    deviantart.com dribbble.com behance.net soundcloud.com stackoverflow.com livejournal.com slideshare.net`),
  mail: words(`
    mail.google.com com.google.android.gm mail.yahoo.com mail.yahoo.co.jp com.yahoo.mobile.client.android.mail
    outlook.live.com outlook.com outlook.office.com outlook.office365.com com.microsoft.office.outlook
    mail.proton.me protonmail.com ch.protonmail.android mail.aol.com e.mail.ru mail.yandex.ru mail.qq.com mail.163.com
    mail.126.com mail.naver.com mail.daum.net mail.zoho.com app.fastmail.com fastmail.com mail.tutanota.com
    app.tuta.com navigator.gmx.net navigator.web.de icloud.com zimbra.free.fr hey.com superhuman.com`),
  messenger: words(`
    whatsapp.com wa.me l.wl.co com.whatsapp com.whatsapp.w4b telegram.org telegram.me t.me org.telegram.messenger
    org.telegram.messenger.web discord.com discordapp.com discord.gg com.discord slack.com slack-redir.net com.slack
    teams.microsoft.com teams.live.com teams.cdn.office.net com.microsoft.teams messenger.com com.facebook.orca
    weixin.qq.com wechat.com work.weixin.qq.com line.me com.linecorp.line viber.com com.viber.voip
    signal.org org.thoughtcrime.securesms skype.com chat.google.com com.google.android.apps.messaging app.element.io
    kakao.com com.kakao.talk zalo.me com.zing.zalo chat.zoom.us`),
  other: words("docs.google.com drive.google.com sites.google.com classroom.google.com calendar.google.com"),
};

const MEDIUMS: Partial<Record<Channel, string[]>> = {
  search: words("organic"),
  social: words(
    "social social-network social-media social_network social_media socialmedia sm organic_social",
  ),
  mail: words("email e-mail e_mail mail newsletter"),
  messenger: words("sms mms messenger messaging chat im whatsapp telegram"),
  other: words("referral link"),
};

/** Apps by the names of their browsers (agents.ts). */
const APPS: Partial<Record<Channel, string[]>> = {
  social: words("Instagram Facebook LinkedIn TikTok Snapchat Pinterest Threads Twitter Reddit"),
  messenger: words("WeChat LINE Messenger KakaoTalk WhatsApp Telegram"),
};

const byText = (lists: Partial<Record<Channel, string[]>>): ReadonlyMap<string, Channel> =>
  new Map(
    Object.entries(lists).flatMap(([channel, texts]) => texts.map((text) => [text, channel as Channel])),
  );

const ofHost = byText(HOSTS);
const ofMedium = byText(MEDIUMS);
const ofApp = byText(APPS);
/** What follows `name.*`. */
const COUNTRY = /^(?:com?\.|org\.|net\.)?[a-z]{2,3}$/;
/** Subdomains of mail servers, whatever their domain. */
const WEBMAIL = /^(?:mail|webmail|roundcube|owa)\.[^.]+\./;

/** `host`: referring one, in lower case. `browser`: as of agents.ts. */
export function channelOf(campaign: Campaign, host: string | null, browser: string | null): Channel {
  const { utm_source, utm_medium, utm_campaign, utm_term, utm_content } = campaign;
  if (utm_medium !== null) return ofMedium.get(utm_medium.toLowerCase()) ?? "campaign";
  if (utm_source !== null) return channelOfSource(utm_source.toLowerCase());
  if (utm_campaign !== null || utm_term !== null || utm_content !== null) return "campaign";
  if (host !== null) return channelOfHost(host) ?? (WEBMAIL.test(host) ? "mail" : "other");
  return (browser === null ? undefined : ofApp.get(browser)) ?? "direct";
}

/** A host, the name of a site such as `facebook`, or a medium. */
const channelOfSource = (source: string): Channel =>
  channelOfHost(source) ?? channelOfHost(`${source}.com`) ?? ofMedium.get(source) ?? "campaign";

const channelOfHost = remembered(
  (host): Channel | null => {
    for (let at = 0; ; ) {
      const known = ofHost.get(host.slice(at));
      if (known !== undefined) return known;
      const dot = host.indexOf(".", at);
      if (dot === -1) return null;
      const named = ofHost.get(`${host.slice(at, dot)}.*`);
      if (named !== undefined && COUNTRY.test(host.slice(dot + 1))) return named;
      at = dot + 1;
    }
  },
  { most: 10_000 },
);
