/** Japanese. */
import type { StoredTexts } from "./en.ts";

export const jaStored: StoredTexts = {
  title: "保存される情報",
  intro: "このサーバーの設定から作成しています。",
  labels: { holds: "保存内容", purpose: "目的", ends: "保存期間" },
  nothing: "なし",
  until: (end) => end,
  days: (count) => `${count} 日`,
  byHand: "管理者が削除するまで",
  sums: {
    name: "クリックの合計",
    holds: ["リンクごと、1 時間ごとのクリック数"],
    purpose: "集計のため。合計から個々の訪問者のことはわかりません。",
    ends: (hours, days) =>
      `1 時間ごとの合計は ${hours} 日、1 日ごとの合計は ${days} 日。月ごとの合計は残ります`,
  },
  details: {
    name: "クリックの詳細",
    purpose: "リンクの利用状況のレポートのため。",
    signals: "ブラウザが Sec-GPC: 1 または DNT: 1 を送る訪問者については保存しません。",
    copied: "ClickHouse サーバーにコピーがあり、その管理者が削除するまで残ります。",
  },
  parts: {
    referrer: "訪問者が来る前のページ",
    campaign: "キャンペーン（utm_…）",
    agent: "User-Agent",
    language: "優先言語",
    network: "IP アドレスのネットワーク（IPv4 は /24、IPv6 は /48）",
    address: "IP アドレス",
    place: "国と都市",
    click: "リンクと日時",
  },
  journal: {
    name: "クリックのジャーナル",
    purpose: "サーバーやデータベースに障害があっても、クリックを二重に数えず、失わないため。",
  },
  drops: {
    name: "訪問者が受付箱に送ったファイル",
    holds: [
      "ファイル",
      "送信者が入力した名前",
      "Cookie の乱数",
      "アップロードが完了するまで、ネットワークアドレスのハッシュ",
    ],
    purpose: "受付箱の所有者がファイルを受け取り、送信者が送ったものを確認できるようにするため。",
    ends: (days) => `所有者がファイルを削除するまで。到着のイベントには両方の名前が ${days} 日残ります`,
  },
  reports: {
    name: "リンクの報告",
    holds: ["訪問者が送る理由と文章"],
    purpose: "管理者が有害なリンクを停止するため。",
    until: "リンクが削除されるまで",
  },
  recipients: {
    name: "共有の宛先",
    holds: ["メールアドレス"],
    purpose: "リンクを記したメールと、アドレスの確認が必要な共有ではコードを送るため。",
    until: "所有者が宛先を削除するか、共有を終了するまで",
  },
  visits: {
    name: "宛先の訪問",
    holds: ["確認済みのメールアドレス、開いたものとダウンロードしたもの、その日時"],
    purpose: "特定の人と共有した人が、届いたかどうかを確認するため。共有のページにその旨が表示されます。",
  },
  cookies: {
    name: "パスワード用の Cookie",
    holds: ["訪問者のブラウザにのみ保存：パスワードが正しかったこと"],
    purpose: "リンクや共有のパスワードをもう一度入力しなくて済むようにするため。",
  },
  accounts: {
    name: "アカウント",
    holds: ["名前", "メールアドレス", "パスワードのハッシュ", "ロール", "サインイン用のキー"],
    purpose: "サインインのため。",
    until: "管理者がアカウントを削除するまで",
  },
  sessions: {
    name: "セッション",
    holds: ["日時", "IP アドレス", "ブラウザとシステム"],
    purpose: "サインインの状態を保ち、どこでサインインしているかを確認するため。",
  },
  mails: {
    name: "メール",
    holds: ["受信者のメールアドレス", "種類と日時", "送信されるまでの内容"],
    purpose: "送信し、その結果を確認するため。",
  },
  failed: {
    name: "失敗したサインイン",
    holds: ["名前", "回数と日時"],
    purpose: "パスワードを推測する人を遅らせるため。",
  },
  events: {
    name: "イベント",
    holds: ["誰が、いつ、何を変更したか"],
    purpose: "追跡と取り消しのため。",
  },
  deleted: {
    name: "削除されたリンク",
    holds: ["リンクとその項目"],
    purpose: "リンクを元に戻すため。",
  },
  trash: {
    name: "ゴミ箱",
    holds: ["ファイルとフォルダー"],
    purpose: "ファイルを元に戻すため。",
  },
};
