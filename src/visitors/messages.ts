/** Pages that links and shares have in common. */
import type { Look } from "./look.ts";
import { htmlPage, text, type VisitorPage } from "./page.ts";

export type Protected = "link" | "share" | "report";

/** Reveals nothing of the protected content. `problem`: why the last try was refused. */
export function passwordPage(look: Look, what: Protected, problem: string | null = null): VisitorPage {
  const { title, label, open, ...texts } = look.texts.password;
  return htmlPage(look, {
    title,
    content: `<h1>${text(title)}</h1>
<p class="soft">${text(texts[what])}</p>
${problem === null ? "" : `<p class="warn" role="alert">${text(problem)}</p>`}
<form method="post">
<label>${text(label)}<input type="password" name="password" required autofocus autocomplete="current-password" maxlength="1024"></label>
<button>${text(open)}</button>
</form>`,
  });
}

/** After a right password. `href` leads on. */
export function rightPage(look: Look, href: string): VisitorPage {
  const { accepted, opens, open } = look.texts.password;
  return htmlPage(look, {
    title: accepted,
    content: `<h1>${text(accepted)}</h1>
<p class="right" role="status">${text(opens)}</p>
<a class="button" rel="nofollow" href="${text(href)}">${text(open)}</a>`,
    next: href,
  });
}

/** After a right password or code whose cookie the browser drops: going on would ask for it again. */
export function notKeptPage(look: Look, entered: "password" | "recipient" = "password"): VisitorPage {
  const { notKept } = look.texts.password;
  const { accepted } = look.texts[entered];
  return htmlPage(look, {
    title: accepted,
    content: `<h1>${text(accepted)}</h1>\n<p role="alert">${text(notKept)}</p>`,
  });
}

/** Kept by browsers, so without a picture from the server. */
export const offlinePage = (look: Look): VisitorPage => {
  const { title, sentence, again } = look.texts.offline;
  return htmlPage(
    { ...look, logo: null },
    {
      title,
      content: `<h1>${text(title)}</h1>\n<p class="soft">${text(sentence)}</p>\n<a class="button" href="">${text(again)}</a>`,
    },
  );
};

export type Message = { title: string; sentence: string };

export const messagePage = (look: Look, { title, sentence }: Message): VisitorPage =>
  htmlPage(look, {
    title,
    content: `<h1>${text(title)}</h1>\n<p class="soft">${text(sentence)}</p>`,
  });

/** Makes a page for programs, which read its meta elements. */
export function cardPage(look: Look, card: Record<"title" | "description" | "image", string | null>) {
  const { title, description, image } = card;
  const meta = image === null ? "" : `<meta property="og:image" content="${text(image)}">\n`;
  return htmlPage(look, {
    title: title ?? look.instanceName,
    description: description ?? "",
    head: `${meta}<meta name="twitter:card" content="summary${image === null ? "" : "_large_image"}">`,
    content: `<h1>${text(title ?? "")}</h1>\n<p class="soft">${text(description ?? "")}</p>`,
    bare: true,
  });
}
