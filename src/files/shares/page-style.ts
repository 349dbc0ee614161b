/** Style and scripts of the pages of shares. The button that copies the checksum shows only with its script. */
import { RADIUS, SPACE, TYPE } from "../../lib/tokens.ts";
import { inline } from "../../visitors/style.ts";
import { LOCAL_TIMES } from "../../visitors/times.ts";

const RULES = `
.icons{position:absolute}
.icon{flex:none;width:1.5rem;height:1.5rem;fill:none;stroke:var(--soft);stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}
.icon.folder{stroke:var(--accent-ink);fill:color-mix(in srgb,var(--accent) 14%,transparent)}
.path ol{display:flex;flex-wrap:wrap;gap:.125rem .25rem;list-style:none;margin:0 0 ${SPACE.md};padding:0;font-size:${TYPE.size.sm}}
.path li{max-width:100%;overflow-wrap:anywhere}.path li+li:before{content:"/";color:var(--soft);margin:0 .375rem 0 .125rem}
.path a{display:inline-block;padding:.25rem 0}
.head{display:flex;gap:${SPACE.md};align-items:flex-start}
.head>div{min-width:0;flex:1}.head h1{margin:0 0 .125rem}.head p+p{margin-top:.125rem}
.head .tile{flex:none;display:grid;place-items:center;width:3rem;height:3rem;border-radius:${RADIUS.lg};background:var(--ground);border:1px solid var(--line)}
.head .tile .icon{stroke:var(--accent-ink)}
.say{margin-top:${SPACE.sm}}
.view{margin:1.5rem 0 0}
.view img,.view video{display:block;max-width:100%;max-height:70vh;margin:0 auto;border-radius:${RADIUS.md}}
.view img{background:repeating-conic-gradient(var(--ground) 0 25%,transparent 0 50%) 0 0/20px 20px}
.view video,.view audio{width:100%}
.view video{aspect-ratio:auto 16/9}
.view iframe{display:block;width:100%;height:min(60vh,32rem);border:1px solid var(--line);border-radius:${RADIUS.md};background:var(--card);color-scheme:light dark}
.view figcaption{margin-top:.375rem;color:var(--soft);font-size:${TYPE.size.sm}}
.facts{display:grid;grid-template-columns:auto 1fr;gap:.625rem 1.5rem;margin:1.75rem 0 0;padding:1.25rem 0 0;border-top:1px solid var(--line);font-size:${TYPE.size.sm}}
.facts dt{color:var(--soft)}.facts dd{margin:0;min-width:0;overflow-wrap:anywhere}
.terms{display:flex;flex-wrap:wrap;gap:.125rem .5rem;margin:.75rem 0 0;font-size:${TYPE.size.sm}}.terms dt{color:var(--soft)}.terms dd{margin:0 .75rem 0 0}
.facts code{font:${TYPE.size.sm}/1.6 ${TYPE.mono};user-select:all;-webkit-user-select:all;overflow-wrap:anywhere}
.facts .wide{grid-column:1/-1}
.copy[hidden]{display:none!important}.facts .copy{min-height:2rem;margin:0 0 0 .5rem;padding:.125rem .625rem;background:none;color:var(--accent-ink);font-size:${TYPE.size.sm};vertical-align:middle}
.list{list-style:none;margin:1.5rem 0 0;padding:0;border-top:1px solid var(--line)}
.list li{border-bottom:1px solid var(--line)}
.list a{display:grid;grid-template-columns:1.5rem minmax(0,1fr) auto auto;gap:0 1rem;align-items:center;padding:.625rem .375rem;color:inherit;text-decoration:none}
.list a:hover{background:var(--ground)}.list a:hover bdi{text-decoration:underline}
.list a:focus-visible{outline-offset:-3px}
.list bdi{overflow-wrap:anywhere}.list span,.list time{color:var(--soft);font-size:${TYPE.size.sm};white-space:nowrap;font-variant-numeric:tabular-nums;text-align:end}
.list time{min-width:6.5rem}
.list .thumb{position:relative;display:grid;place-items:center;width:1.5rem;height:1.5rem;min-width:0}
.thumb img{position:absolute;inset:0;width:100%;height:100%;object-fit:cover;border-radius:${RADIUS.sm}}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:${SPACE.md};padding-top:${SPACE.md}}
.list.tiles li{border:0}
.list.tiles a{grid-template-columns:minmax(0,1fr);gap:.125rem;justify-items:start;height:100%;align-content:start;padding:.375rem;border-radius:${RADIUS.lg}}
.list.tiles a>.icon,.tiles .thumb{width:100%;height:auto;aspect-ratio:1;border-radius:${RADIUS.md};background:var(--ground)}
.tiles a>.icon{padding:34%}.tiles .thumb .icon{width:32%;height:32%}
.list.tiles bdi,.list.tiles a>span{grid-column:1}.tiles bdi{font-size:${TYPE.size.sm}}.tiles a>time{display:none}
.pager{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center;justify-content:space-between;margin-top:${SPACE.lg}}
.pager .button{margin:0}.quiet{background:none;color:var(--accent-ink)}
.none{margin:1.5rem 0 0;padding:2.5rem 1rem;border:1px dashed var(--soft);border-radius:${RADIUS.lg};text-align:center;color:var(--soft)}
@media(max-width:560px){.facts{grid-template-columns:1fr;gap:.125rem}.facts dd+dt{margin-top:.625rem}main>.button{width:100%}
.list a{grid-template-columns:1.5rem minmax(0,1fr) auto;gap:.125rem .75rem}.list bdi{grid-column:2/-1}.list a span{grid-column:2;text-align:start}.list time{min-width:0}}
@media(forced-colors:active){.icon{stroke:currentColor!important}}
`.replaceAll("\n", "");

export const SHARE_STYLES = [inline(RULES)];

const COPY = `
for(const b of document.querySelectorAll(".copy"))if(navigator.clipboard){b.hidden=false;b.addEventListener("click",()=>navigator.clipboard.writeText(b.dataset.text).then(()=>{b.textContent=b.dataset.done;setTimeout(()=>{b.textContent=b.dataset.label},2000)}))}
`.trim();

/** Takes away what a browser can't show. A network that fails later leaves a player (code 2). */
const HIDE = `
for(const m of document.querySelectorAll(".view img,.view video,.view audio")){const f=()=>{if(!m.error||m.error.code>2)m.parentNode.remove()};m.addEventListener("error",f);if(m.error||m.complete&&!m.naturalWidth)f()}
`.trim();

/** Shows the icon of a file without a thumbnail. */
const UNCOVER = `
for(const i of document.querySelectorAll(".thumb img")){const f=()=>i.remove();i.addEventListener("error",f);if(i.complete&&!i.naturalWidth)f()}
`.trim();

export const FOLDER_SCRIPTS = [inline(UNCOVER), LOCAL_TIMES];

export const SHARE_SCRIPTS = [inline(COPY), inline(HIDE), LOCAL_TIMES];
