/** Hands the bytes of a PDF to the frame that draws it. Without it the page says that there is no preview. */
import { inline } from "../../visitors/style.ts";

const EMBED = `
for(const figure of document.querySelectorAll("figure[data-viewer]")){
const frame=document.createElement("iframe"),say=document.querySelector(".no-pdf"),{src,viewer,label,page,more}=figure.dataset;
const fail=()=>{clearTimeout(timer);removeEventListener("message",hear);figure.hidden=true;say.hidden=false;frame.remove()};
let isReady=false,timer=setTimeout(fail,60000);
async function hear({source,data}){
if(source!==frame.contentWindow)return;
if(data==="failed")fail();
if(data==="shown")clearTimeout(timer);
if(data!=="ready"||isReady)return;
isReady=true;
try{
const answer=await fetch(src,{credentials:"same-origin"});
if(!answer.ok||answer.headers.get("content-type")!=="application/pdf")throw 0;
const bytes=await answer.arrayBuffer();
frame.contentWindow.postMessage({bytes,page,more,language:document.documentElement.lang},"*",[bytes]);
}catch{fail()}
}
addEventListener("message",hear);
frame.addEventListener("load",()=>setTimeout(()=>{if(!isReady)fail()},5000));
frame.sandbox="allow-scripts";frame.title=label;frame.loading="lazy";frame.src=viewer;
say.hidden=true;figure.hidden=false;figure.append(frame);
}
`.trim();

export const PDF_EMBED = inline(EMBED);
