/** Chinese, in simplified characters. */
import type { VisitorTexts } from "./en.ts";

export const zh: VisitorTexts = {
  password: {
    title: "需要密码",
    link: "此链接受密码保护。",
    share: "此分享受密码保护。",
    label: "密码",
    open: "打开",
    wrong: "密码错误。",
    wait: (time) => `尝试次数过多，请在${time}后重试。`,
    busy: (time) => `暂时无法验证密码，请在${time}后重试。`,
    accepted: "密码正确",
    opens: "链接将自动打开。如果没有打开，请点击按钮。",
    notKept:
      "由于此页面未使用 HTTPS，浏览器无法记住它。请在地址前加上 https:// 打开，或告知此服务器的管理者。",
  },
  people: {
    title: "此链接仅供真人访问",
    sentence: "此链接只对有限数量的人开放，请在浏览器中打开。",
  },
  lost: {
    root: { title: "这里是短链接服务", sentence: "仅凭此地址无法打开任何内容，请打开您收到的完整链接。" },
    unknown: {
      title: "此链接无法打开",
      sentence: "地址可能有误，或者链接不可用。请检查地址，或向给您链接的人询问。",
    },
    expired: { title: "此链接已过期", sentence: "它只在限定时间内有效，请向给您链接的人索取新链接。" },
    usedUp: { title: "此链接已用完", sentence: "它只对有限数量的人开放，请向给您链接的人索取新链接。" },
  },
  share: {
    notFound: { title: "未找到", sentence: "此分享不存在或已结束。" },
    usedUp: { title: "不可用", sentence: "此分享的下载次数已用完。" },
    notNow: { title: "暂时不可用", sentence: "暂时无法打开，请稍后重试。" },
    failed: { title: "出错了", sentence: "请稍后重试。" },
    download: "下载",
    downloads: "密码正确，下载将自动开始。如果没有开始，请点击按钮。",
    folder: "文件夹",
    foldersAbove: "上级文件夹",
    empty: "此文件夹为空。",
    chooseFile: "选择文件即可下载。",
    chooseFolder: "选择文件夹即可打开。",
    more: "更多",
  },
};
