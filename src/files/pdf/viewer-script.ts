import { inline } from "../../visitors/style.ts";

/**
 * Draws a PDF as pictures in a frame without origin and network, so its scripts, links and forms do nothing. The number
 * of pages is bounded; they are drawn when they come into sight and freed when they leave it. What takes too long ends
 * the worker.
 */
export const VIEWER_SCRIPT = `
const PAGES=100,OPEN_MS=30000,DRAW_MS=20000,PIXELS=6e6;
const lib=globalThis.pdfjsLib;
const url=URL.createObjectURL(new Blob([document.getElementById("worker").textContent],{type:"text/javascript"}));
const port=new Worker(url);
const bytesOf=id=>Uint8Array.from(atob(document.getElementById(id).textContent),c=>c.charCodeAt(0));
class Data{async fetch({filename}){const id=filename.replace(".wasm","");if(!document.getElementById(id))throw new Error("not here");return bytesOf(id)}}
let shown=0,ended=false;
function end(){if(ended)return;ended=true;port.terminate();if(shown===0)parent.postMessage("failed","*")}
port.addEventListener("error",end);
const within=(ms,work)=>new Promise((done,fail)=>{const timer=setTimeout(()=>{end();fail(new Error("too long"))},ms);work.then(done,fail).finally(()=>clearTimeout(timer))});
const text=(form,values)=>form.replace(/\\{(\\w+)\\}/g,(_,name)=>values[name]);
async function draw(file,n,box){
  const page=await within(OPEN_MS,file.getPage(n));
  const plain=page.getViewport({scale:1});
  box.style.aspectRatio=plain.width+"/"+plain.height;
  const scale=Math.min(box.clientWidth/plain.width*Math.min(devicePixelRatio,2),Math.sqrt(PIXELS/(plain.width*plain.height)));
  const viewport=page.getViewport({scale});
  const canvas=document.createElement("canvas");
  canvas.width=Math.max(1,Math.floor(viewport.width));canvas.height=Math.max(1,Math.floor(viewport.height));
  const task=page.render({canvas,viewport});
  try{await within(DRAW_MS,task.promise)}finally{task.cancel()}
  if(box.dataset.seen!=="1")return;
  box.replaceChildren(canvas);
  shown+=1;
  if(shown===1)parent.postMessage("shown","*");
}
async function open({bytes,page,more}){
  const task=lib.getDocument({data:new Uint8Array(bytes),worker:lib.PDFWorker.create({port,verbosity:0}),wasmUrl:"wasm/",BinaryDataFactory:Data,useWorkerFetch:false,disableWorkerRendering:true,enableXfa:false,isEvalSupported:false,stopAtErrors:false,maxImageSize:5e7,canvasMaxAreaInBytes:2e8,verbosity:0});
  const file=await within(OPEN_MS,task.promise);
  const total=file.numPages,most=Math.min(total,PAGES);
  const watch=new IntersectionObserver(entries=>{for(const{target,isIntersecting}of entries){
    if(isIntersecting&&!ended&&target.dataset.seen!=="1"){target.dataset.seen="1";draw(file,Number(target.dataset.page),target).catch(()=>{if(target.dataset.page==="1")end()})}
    if(!isIntersecting){target.dataset.seen="0";target.replaceChildren()}
  }},{rootMargin:"50% 0px"});
  const pages=document.getElementById("pages");
  for(let n=1;n<=most;n++){
    const box=document.createElement("div");
    box.className="page";box.dataset.page=n;
    box.setAttribute("role","img");box.setAttribute("aria-label",text(page,{n,total}));
    pages.append(box);watch.observe(box);
  }
  if(most<total){const note=document.createElement("p");note.textContent=text(more,{count:most});pages.append(note)}
}
let begun=false;
addEventListener("message",({source,data})=>{if(source!==parent||begun)return;begun=true;document.documentElement.lang=data.language;open(data).catch(end)});
parent.postMessage("ready","*");
`.trim();

export const VIEWER_STYLE =
  "html{color-scheme:light dark;background:light-dark(#e9ecef,#1b1e21)}body{margin:0;font:14px/1.5 system-ui,sans-serif}#pages{display:grid;gap:12px;padding:12px}#pages:focus-visible{outline:3px solid Highlight;outline-offset:-3px}.page{width:100%;max-width:60rem;margin:0 auto;aspect-ratio:210/297;background:#fff;box-shadow:0 1px 3px #0003}canvas{display:block;width:100%;height:auto}p{margin:0;text-align:center}";

/** Hands the bytes of a PDF to the frame that draws it. Without it the page shows that there is no preview. */
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
