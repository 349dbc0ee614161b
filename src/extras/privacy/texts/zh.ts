/** Chinese. */
import type { StoredTexts } from "./en.ts";

export const zhStored: StoredTexts = {
  title: "存储的内容",
  intro: "根据本系统的设置生成。",
  labels: { holds: "内容", purpose: "用途", ends: "保存时间" },
  nothing: "无",
  until: (end) => end,
  days: (count) => `${count} 天`,
  byHand: "直到管理员删除",
  sums: {
    name: "点击总数",
    holds: ["每个链接每小时的点击数"],
    purpose: "计数。总数不反映任何单个访客的信息。",
    ends: (hours, days) => `按小时的总数 ${hours} 天，按天的总数 ${days} 天；按月的总数一直保留`,
  },
  details: {
    name: "点击详情",
    purpose: "生成链接使用情况的报告。",
    signals: "浏览器发送 Sec-GPC: 1 或 DNT: 1 的访客除外。",
    copied: "ClickHouse 服务器上有一份副本，直到其管理员删除。",
  },
  parts: {
    referrer: "访客来自的页面",
    campaign: "广告系列（utm_…）",
    agent: "User-Agent",
    language: "首选语言",
    network: "IP 地址所在的网段（IPv4 为 /24，IPv6 为 /48）",
    address: "IP 地址",
    place: "国家和城市",
    click: "链接和时间",
  },
  journal: {
    name: "点击日志",
    purpose: "服务器或数据库发生故障时，不重复计数，也不丢失点击。",
  },
  drops: {
    name: "访客发送到收件箱的文件",
    holds: ["文件", "发送者填写的名字", "Cookie 中的随机数", "上传未完成期间，网络地址的哈希值"],
    purpose: "收件箱的所有者收到文件；发送者能看到自己发送的内容。",
    ends: (days) => `直到所有者删除文件；文件到达的事件会保留这两个名称 ${days} 天`,
  },
  reports: {
    name: "链接举报",
    holds: ["访客发送的原因和文字"],
    purpose: "管理员据此下架有害链接。",
    until: "直到链接被删除",
  },
  recipients: {
    name: "共享的收件人",
    holds: ["邮箱地址"],
    purpose: "他们会收到带有链接的邮件；如果共享要求验证地址，还会收到验证码。",
    until: "直到所有者移除收件人或结束共享",
  },
  visits: {
    name: "收件人的访问",
    holds: ["已验证的邮箱地址、打开或下载的内容及时间"],
    purpose: "与特定人共享的人可以看到对方是否已收到。共享页面会说明这一点。",
  },
  cookies: {
    name: "密码 Cookie",
    holds: ["仅保存在访客的浏览器中：密码已验证正确"],
    purpose: "访客无需再次输入链接或共享的密码。",
  },
  accounts: {
    name: "账户",
    holds: ["名称", "邮箱地址", "密码的哈希值", "角色", "登录密钥"],
    purpose: "登录。",
    until: "直到管理员删除账户",
  },
  sessions: {
    name: "会话",
    holds: ["时间", "IP 地址", "浏览器和系统"],
    purpose: "保持登录，并查看在哪里登录。",
  },
  mails: {
    name: "邮件",
    holds: ["收件人的邮箱地址", "类型和时间", "发送之前的内容"],
    purpose: "发送邮件，并查看发送结果。",
  },
  failed: {
    name: "登录失败",
    holds: ["名称", "次数和时间"],
    purpose: "减慢猜测密码的速度。",
  },
  events: {
    name: "事件",
    holds: ["谁在何时更改了什么"],
    purpose: "追溯和撤销。",
  },
  deleted: {
    name: "已删除的链接",
    holds: ["链接及其字段"],
    purpose: "恢复链接。",
  },
  trash: {
    name: "回收站",
    holds: ["文件和文件夹"],
    purpose: "恢复文件。",
  },
};
