import { listed, type MailTexts } from "./en.ts";

export const jaMails: MailTexts = {
  ifNot: "ボタンが使えない場合は、次のアドレスを開いてください。",
  test: (_, { instance }) => ({
    subject: `${instance} からのテストメール`,
    lines: [`このメールは ${instance} のすべてのメールと同じ経路で送られました。送信は正常です。`],
  }),
  invitation: ({ username, by }, { instance }) => ({
    subject: `${instance} のアカウント`,
    lines: [
      `${by} さんが ${instance} にあなたのアカウントを作成しました。ユーザー名は ${username} です。`,
      "はじめにパスワードを設定してください。リンクは 24 時間以内に 1 回だけ使えます。",
    ],
    action: "パスワードを設定",
  }),
  reset: ({ username }, { instance }) => ({
    subject: `${instance} の新しいパスワード`,
    lines: [
      `アカウント ${username} の新しいパスワードが要求されました。`,
      "リンクは 1 時間以内に 1 回だけ使えます。新しいパスワードを設定するまで、今のパスワードは変わりません。",
    ],
    action: "新しいパスワードを設定",
  }),
  address: ({ username }, { instance }) => ({
    subject: `${instance} のメールアドレスの確認`,
    lines: [
      `アカウント ${username} のメールをこのアドレスで受け取ることを確認してください。リンクは 24 時間有効です。`,
    ],
    action: "アドレスを確認",
  }),
  sign_in: ({ username, address, browser, at }, { instance, time }) => ({
    subject: `${instance} への新しいサインイン`,
    lines: [
      `これまでに見たことのないブラウザーから、アカウント ${username} でサインインがありました。`,
      `日時: ${time(at)}\nアドレス: ${address}\nブラウザー: ${browser}`,
      "ご自身によるものなら、何もする必要はありません。そうでない場合は、すぐにパスワードを変更してください。すべてのセッションが終了します。",
    ],
    action: "アカウントを確認",
  }),
  passkey: ({ username, address, browser, at }, { instance, time }) => ({
    subject: `${instance} の新しいパスキー`,
    lines: [
      `アカウント ${username} にパスキーが追加されました。それを持つ人は、パスワードなしでサインインできます。`,
      `日時: ${time(at)}\nアドレス: ${address}\nブラウザー: ${browser}`,
      "ご自身によるものなら、何もする必要はありません。そうでない場合は、すぐにアカウントから削除し、パスワードを変更してください。",
    ],
    action: "アカウントを確認",
  }),
  drop: ({ title, count, names }, facts) => ({
    subject: `${title} に ${facts.number(count)} 件のファイルが届きました`,
    lines: [listed(names, count, (more) => `ほか ${facts.number(more)} 件`)],
    action: "ファイルを表示",
  }),
  download: ({ title, count }, { number }) => ({
    subject:
      count === 1
        ? `${title} がダウンロードされました`
        : `${title} が ${number(count)} 回ダウンロードされました`,
    lines: ["共有しているものがダウンロードされました。"],
    action: "共有を表示",
  }),
  share_ending: ({ title, endsAt }, { time }) => ({
    subject:
      endsAt === null ? `${title} のダウンロード回数が上限に達しました` : `${title} はまもなく終了します`,
    lines: [
      endsAt === null
        ? "この共有は許可された回数だけダウンロードされました。もう開けません。"
        : `この共有は ${time(endsAt)} に終了し、その後は開けません。`,
      "共有の一覧で変更できます。",
    ],
    action: "共有を表示",
  }),
  share: ({ title, message, by, endsAt, password, verify }, { instance, time }) => ({
    subject: `${by} さんが ${title} を共有しました`,
    lines: [
      ...(message === null
        ? [`${by} さんが ${instance} で ${title} を共有しました。`]
        : [`${by} さんからのメッセージ：`, message]),
      ...(endsAt === null ? [] : [`${time(endsAt)} まで利用できます。`]),
      ...(verify ? ["ページでメールアドレスを入力すると、そこにコードが届きます。"] : []),
      ...(password
        ? [`パスワードが必要です。パスワードは ${by} さんから別の方法で受け取ってください。`]
        : []),
    ],
    action: "開く",
  }),
  share_code: ({ title, code, minutes }) => ({
    subject: `${title} のコード：${code}`,
    lines: [
      `${title} のページで次のコードを入力してください：${code}`,
      `コードは ${minutes} 分以内に一度だけ使えます。心当たりがない場合は、このメールを無視してください。`,
    ],
  }),
  link_threshold: ({ link, clicks }, { number }) => ({
    subject: `${link} のクリック数が ${number(clicks)} に達しました`,
    lines: ["100、1,000、10,000 クリックなど、またはリンクに設定した数に達したときにお知らせします。"],
    action: "数値を表示",
  }),
  target_dead: ({ link, target, reason }) => ({
    subject: `${link} のリンク先が応答しません`,
    lines: [
      `このリンクは ${target} につながっています。`,
      `応答: ${reason}`,
      "訪問者は引き続きそこへ案内されます。ページが移転した場合は、リンク先を変更してください。",
    ],
    action: "リンクを表示",
  }),
  backup: ({ reason, at }, { instance, time }) => ({
    subject: `${instance} のバックアップに失敗しました`,
    lines: [`${time(at)} のバックアップに失敗しました。前回以降の変更は保存されていません。`, reason],
  }),
  webhook: ({ receiver, isGone }) => ({
    subject: `${receiver} の Webhook が無効になりました`,
    lines: [
      isGone ? "受信側が、もう存在しないと応答しました (410)。" : "3 日間のすべての試行が失敗しました。",
      "以後は何も送信されません。届かなかったものはログで確認できます。受信側が復旧したら有効にしてください。",
    ],
    action: "Webhook を表示",
  }),
  reasons: {
    test: () => "管理者がテストとしてこのメールを送信しました。",
    share: (instance) => `このメールは、${instance} の利用者があなたのアドレスを入力したため送信されました。`,
    asked: () =>
      "このメールは、あなたのアドレスが入力されたためにお送りしています。お心当たりがない場合は無視してください。",
    chosen: (instance) => `このようなメールは ${instance} のアカウントで停止できます。`,
  },
};
