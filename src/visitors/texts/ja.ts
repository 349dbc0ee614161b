/** Japanese. */
import type { VisitorTexts } from "./en.ts";

export const ja: VisitorTexts = {
  password: {
    title: "パスワードが必要です",
    link: "このリンクはパスワードで保護されています。",
    share: "この共有はパスワードで保護されています。",
    label: "パスワード",
    open: "開く",
    wrong: "パスワードが違います。",
    wait: (time) => `試行回数が多すぎます。${time}後にもう一度お試しください。`,
    busy: (time) => `現在パスワードを確認できません。${time}後にもう一度お試しください。`,
    accepted: "パスワードを確認しました",
    opens: "リンクは自動的に開きます。開かない場合はボタンを押してください。",
  },
  people: {
    title: "このリンクは人のためのものです",
    sentence: "開ける人数に限りがあります。ブラウザーで開いてください。",
  },
  share: {
    notFound: { title: "見つかりません", sentence: "この共有は存在しないか、終了しました。" },
    usedUp: { title: "利用できません", sentence: "この共有のダウンロード回数は上限に達しました。" },
    notNow: {
      title: "現在は利用できません",
      sentence: "今は開けません。しばらくしてからもう一度お試しください。",
    },
    failed: { title: "問題が発生しました", sentence: "しばらくしてからもう一度お試しください。" },
    download: "ダウンロード",
    downloads:
      "パスワードを確認しました。ダウンロードは自動的に始まります。始まらない場合はボタンを押してください。",
    folder: "フォルダー",
    foldersAbove: "上位のフォルダー",
    empty: "このフォルダーは空です。",
    chooseFile: "ファイルを選ぶとダウンロードできます。",
    chooseFolder: "フォルダーを選ぶと開きます。",
    more: "もっと見る",
  },
};
