import { listed, type MailTexts } from "./en.ts";

export const zhMails: MailTexts = {
  ifNot: "如果按钮无法使用，请打开此网址：",
  test: (_, { instance }) => ({
    subject: `来自 ${instance} 的测试邮件`,
    lines: [`这封邮件与 ${instance} 的所有邮件经由同样的途径发出：发送正常。`],
  }),
  invitation: ({ username, by }, { instance }) => ({
    subject: `您在 ${instance} 的账户`,
    lines: [
      `${by} 已在 ${instance} 为您创建账户。您的用户名是 ${username}。`,
      "请先设置密码。链接在 24 小时内有效，只能使用一次。",
    ],
    action: "设置密码",
  }),
  reset: ({ username }, { instance }) => ({
    subject: `${instance} 的新密码`,
    lines: [
      `有人为您的账户 ${username} 申请了新密码。`,
      "链接在一小时内有效，只能使用一次。在您设置新密码之前，原密码保持不变。",
    ],
    action: "设置新密码",
  }),
  address: ({ username }, { instance }) => ({
    subject: `确认您在 ${instance} 的邮箱地址`,
    lines: [`请确认账户 ${username} 的邮件应发送到此地址。链接在 24 小时内有效。`],
    action: "确认此地址",
  }),
  sign_in: ({ username, address, browser, at }, { instance, time }) => ({
    subject: `${instance} 的新登录`,
    lines: [
      `有人从一个我们未曾见过的浏览器登录了您的账户 ${username}。`,
      `时间：${time(at)}\n地址：${address}\n浏览器：${browser}`,
      "如果是您本人，无需任何操作。如果不是，请立即更改密码，这会结束所有会话。",
    ],
    action: "检查我的账户",
  }),
  passkey: ({ username, address, browser, at }, { instance, time }) => ({
    subject: `${instance} 的新通行密钥`,
    lines: [
      `您的账户 ${username} 添加了一个通行密钥。持有它的人无需密码即可登录。`,
      `时间：${time(at)}\n地址：${address}\n浏览器：${browser}`,
      "如果是您本人，无需任何操作。如果不是，请立即在您的账户中删除它，并更改密码。",
    ],
    action: "检查我的账户",
  }),
  drop: ({ title, count, names }, facts) => ({
    subject: `${title} 收到 ${facts.number(count)} 个文件`,
    lines: [listed(names, count, (more) => `……以及另外 ${facts.number(more)} 个`)],
    action: "显示文件",
  }),
  download: ({ title, count }, { number }) => ({
    subject: count === 1 ? `${title} 已被下载` : `${title} 已被下载 ${number(count)} 次`,
    lines: ["有人下载了您共享的内容。"],
    action: "显示我的共享",
  }),
  share_ending: ({ title, endsAt }, { time }) => ({
    subject: endsAt === null ? `${title} 的下载次数已用完` : `${title} 即将到期`,
    lines: [
      endsAt === null
        ? "此共享已达到允许的下载次数，无法再打开。"
        : `此共享将于 ${time(endsAt)} 到期，之后无法再打开。`,
      "您可以在共享列表中更改。",
    ],
    action: "显示我的共享",
  }),
  share: ({ title, message, by, endsAt, password, verify }, { instance, time }) => ({
    subject: `${by} 与您共享了 ${title}`,
    lines: [
      ...(message === null ? [`${by} 在 ${instance} 上与您共享了 ${title}。`] : [`${by} 的留言：`, message]),
      ...(endsAt === null ? [] : [`有效期至 ${time(endsAt)}。`]),
      ...(verify ? ["页面会询问您的邮箱地址，并向该地址发送验证码。"] : []),
      ...(password ? [`页面会要求输入密码，${by} 会以其他方式告诉您。`] : []),
    ],
    action: "打开",
  }),
  share_code: ({ title, code, minutes }) => ({
    subject: `${title} 的验证码：${code}`,
    lines: [
      `请在 ${title} 的页面上输入此验证码：${code}`,
      `验证码在 ${minutes} 分钟内有效，只能使用一次。如果不是您本人请求的，请忽略此邮件。`,
    ],
  }),
  link_threshold: ({ link, clicks }, { number }) => ({
    subject: `${link} 的点击数已达到 ${number(clicks)}`,
    lines: ["点击数达到 100、1,000、10,000 等，或达到为该链接设定的数值时，您会收到通知。"],
    action: "显示数据",
  }),
  target_dead: ({ link, target, reason }) => ({
    subject: `${link} 的目标没有响应`,
    lines: [
      `此链接指向 ${target}。`,
      `返回结果：${reason}`,
      "访客仍会被引导到那里。如果网页已迁移，请为链接设置新的目标。",
    ],
    action: "显示链接",
  }),
  backup: ({ reason, at }, { instance, time }) => ({
    subject: `${instance} 的备份失败`,
    lines: [`${time(at)} 的备份失败。自上次备份以来的更改没有副本。`, reason],
  }),
  webhook: ({ receiver, isGone }) => ({
    subject: `${receiver} 的 Webhook 已停用`,
    lines: [
      isGone ? "接收方表示该地址已不存在 (410)。" : "三天内的所有尝试均失败。",
      "之后不再向它发送任何内容。日志中有未送达的内容。接收方恢复后请重新启用。",
    ],
    action: "显示 Webhook",
  }),
  reasons: {
    test: () => "管理员发送了这封测试邮件。",
    share: (instance) => `您收到此邮件，是因为 ${instance} 的用户输入了您的地址。`,
    asked: () => "您收到这封邮件，是因为有人填写了您的邮箱地址。如果不是您本人，请忽略。",
    chosen: (instance) => `您可以在 ${instance} 的账户中关闭此类邮件。`,
  },
};
