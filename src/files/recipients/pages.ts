/** Pages that ask a recipient of a share for the address and the code. They reveal nothing of the share or its list. */
import type { Look } from "../../visitors/look.ts";
import { htmlPage, text, type VisitorPage } from "../../visitors/page.ts";
import { inline } from "../../visitors/style.ts";

const PLAIN = inline("form+form{margin:0}.plain{margin-top:.75rem;background:none;color:var(--accent-ink)}");

const problemHtml = (problem: string | null): string =>
  problem === null ? "" : `<p class="warn" role="alert">${text(problem)}</p>`;

/** `problem`: why the last try was refused. */
export function addressPage(look: Look, problem: string | null = null): VisitorPage {
  const { title, intro, seen, address, send } = look.texts.recipient;
  return htmlPage(look, {
    title,
    content: `<h1>${text(title)}</h1>
<p class="soft">${text(intro)}</p>
<p class="soft">${text(seen)}</p>
${problemHtml(problem)}
<form method="post">
<label>${text(address)}<input type="email" name="email" required autofocus autocomplete="email" maxlength="254"></label>
<button>${text(send)}</button>
</form>`,
  });
}

export function codePage(look: Look, email: string, problem: string | null = null): VisitorPage {
  const { codeTitle, sent, code, again } = look.texts.recipient;
  const known = `<input type="hidden" name="email" value="${text(email)}">`;
  return htmlPage(look, {
    title: codeTitle,
    content: `<h1>${text(codeTitle)}</h1>
<p class="soft">${text(sent(email))}</p>
${problemHtml(problem)}
<form method="post">
${known}<label>${text(code)}<input name="code" required autofocus inputmode="numeric" pattern="[0-9]{6}" autocomplete="one-time-code" maxlength="6"></label>
<button>${text(look.texts.password.open)}</button>
</form>
<form method="post">
${known}<button class="plain">${text(again)}</button>
</form>`,
    styles: [PLAIN],
  });
}
