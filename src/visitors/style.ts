import { remembered } from "../lib/remembered.ts";
import { accentOf, GROUNDS } from "./accent.ts";

/** Text of a <style> or <script>, whose hash stands in the policy of its page. */
export type Inline = { text: string; hash: string };

export const inline = (text: string): Inline => ({
  text,
  hash: `'sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}'`,
});

const schemeOf = ({ ground, card }: { ground: string; card: string }, rest: string): string =>
  `--ground:${ground};--card:${card};${rest}`;
const LIGHT = schemeOf(
  GROUNDS.light,
  "--ink:#1c2024;--soft:#5a636e;--line:#dfe3e8;--warn:#b3261e;--right:#1a7f37;--shade:0 1px 2px #1018280f,0 8px 24px #10182814",
);
const DARK = schemeOf(
  GROUNDS.dark,
  "--ink:#e8eaed;--soft:#a3abb5;--line:#333a41;--warn:#f2b8b5;--right:#7ee2a8;--shade:0 1px 2px #0006,0 8px 24px #0006",
);

const RULES = `
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;background:var(--ground);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
.page{width:100%;max-width:48rem;margin:0 auto;padding:clamp(1.25rem,4vw,2.5rem) clamp(1rem,4vw,2rem) 3rem}
.narrow{max-width:32rem;padding-top:clamp(1.25rem,12vh,8rem)}
.site{display:flex;align-items:center;gap:.625rem;margin:0 0 1.25rem;font-weight:600;overflow-wrap:anywhere}
.site svg{flex:none;width:1.75rem;height:1.75rem}
.site rect{fill:var(--accent)}.site path{fill:none;stroke:var(--on-accent);stroke-linecap:round;stroke-linejoin:round}
.card{background:var(--card);border:1px solid var(--line);border-radius:16px;box-shadow:var(--shade);padding:clamp(1.25rem,5vw,2.25rem)}
h1{font-size:clamp(1.35rem,1.2rem + .8vw,1.625rem);line-height:1.25;font-weight:650;letter-spacing:-.011em;margin:0 0 .5rem;overflow-wrap:anywhere;text-wrap:balance}
:lang(zh) h1,:lang(ja) h1{letter-spacing:0}:lang(ja){word-break:auto-phrase}
p{margin:0;overflow-wrap:anywhere;text-wrap:pretty}p+p{margin-top:.75rem}
.soft{color:var(--soft)}p+h1{margin-top:.25rem}
@media print{body{background:none}.card{box-shadow:none}}
`.replaceAll("\n", "");

/** For pages with links or forms. */
export const CONTROLS = inline(
  `
.warn{color:var(--warn)}.right{color:var(--right)}
a{color:var(--accent-ink);text-underline-offset:.15em}
a:focus-visible,button:focus-visible,input:focus-visible{outline:3px solid var(--accent-ink);outline-offset:2px}
form{margin:1.5rem 0 0}
label{display:block;font-size:.875rem;font-weight:600}
input{display:block;width:100%;min-height:2.75rem;margin-top:.375rem;padding:.5rem .75rem;border:1px solid var(--soft);border-radius:10px;background:var(--ground);color:var(--ink);font:inherit}
.button,button{display:inline-flex;align-items:center;justify-content:center;gap:.5rem;min-height:2.75rem;margin-top:1.25rem;padding:.5rem 1.25rem;border:1px solid var(--accent-ink);border-radius:10px;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
.button:hover,button:hover{box-shadow:0 0 0 3px color-mix(in srgb,var(--accent-ink) 22%,transparent)}
@media(max-width:480px){form button{width:100%}}
@media(prefers-reduced-motion:no-preference){.button,button{transition:box-shadow .12s}}
`.replaceAll("\n", ""),
);

const REMEMBERED = 8;
/** @param accentColor `#` and six hexadecimal digits */
export const styleFor = remembered(
  (accentColor: string): Inline => {
    const { fill, onFill, light, dark } = accentOf(accentColor);
    return inline(
      `:root{color-scheme:light dark;--accent:${fill};--on-accent:${onFill};--accent-ink:${light};${LIGHT}}` +
        `@media(prefers-color-scheme:dark){:root{--accent-ink:${dark};${DARK}}}${RULES}`,
    );
  },
  { most: REMEMBERED },
);
