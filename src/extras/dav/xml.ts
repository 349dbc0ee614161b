/** XML of WebDAV: small bodies as trees of elements, whose texts stand in any document. */
import { type SaxesAttributeNS, SaxesParser } from "saxes";
import { appError } from "../../lib/errors.ts";
import { escapeXml } from "../../lib/escape-xml.ts";

export type XmlElement = {
  /** As an empty element with its namespace: `<D:prop/>`, else `<a xmlns="…"/>`. */
  name: string;
  children: XmlElement[];
  /** What is in it. */
  content: string;
  /** The whole. */
  xml: string;
};

const MOST_DEPTH = 32;
/** Names, namespaces and attributes of a body. Each entry of a list may repeat them. */
const MOST_CHARACTERS = 8 * 1024;
const XML_NS = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NS = "http://www.w3.org/2000/xmlns/";

/** Knows no entities but XML's own. @throws BadRequest */
export function parseXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true, defaultXMLVersion: "1.0", forceXMLVersion: true });
  const top: XmlElement = { name: "", children: [], content: "", xml: "" };
  const open = [top];
  let left = MOST_CHARACTERS;
  const add = (piece: string) => void (open.at(-1)!.content += escapeXml(piece));
  parser.on("text", add);
  parser.on("cdata", add);
  parser.on("error", ({ message }) => refuse(`is not well-formed: ${message}`));
  parser.on("doctype", () => refuse("must have no DOCTYPE"));
  parser.on("opentag", ({ uri, local, attributes }) => {
    const tag = `${local} xmlns="${escapeXml(uri)}"`;
    const xml = tag + attributesOf(Object.values(attributes));
    left -= xml.length;
    if (open.length > MOST_DEPTH || left < 0) refuse("is too deep or too long");
    // No document may declare them for an element without a prefix.
    if (uri === XML_NS || uri === XMLNS_NS) refuse("has elements in a namespace of XML itself");
    open.push({ name: uri === "DAV:" ? `<D:${local}/>` : `<${tag}/>`, children: [], content: "", xml });
  });
  parser.on("closetag", ({ local }) => {
    const element = open.pop()!;
    element.xml = `<${element.xml}>${element.content}</${local}>`;
    open.at(-1)!.children.push(element);
    open.at(-1)!.content += element.xml;
  });
  parser.write(text).close();
  return top.children[0]!;
}

/** Declares each namespace where it is used. */
function attributesOf(given: readonly SaxesAttributeNS[]): string {
  const unbound = given.find(({ prefix, value }) => prefix === "xmlns" && value === "");
  if (unbound) refuse(`binds the prefix ${unbound.local} to nothing`);
  const kept = given.filter(({ uri }) => uri !== XMLNS_NS);
  const texts = kept.map(({ uri, local, value }, at) => {
    const isPlain = uri === "" || uri === XML_NS;
    const declared = isPlain ? "" : ` xmlns:a${at}="${escapeXml(uri)}"`;
    const prefix = isPlain ? uri && "xml:" : `a${at}:`;
    return `${declared} ${prefix}${local}="${escapeXml(value)}"`;
  });
  return texts.join("");
}

function refuse(why: string): never {
  throw appError("BadRequest", `The XML of the body ${why}.`);
}

/** With a name of the namespace DAV. */
export const davChild = (element: XmlElement | undefined, name: string) =>
  element?.children.find((child) => child.name === `<D:${name}/>`);

/** A document of WebDAV, and how it begins. */
export const davXml = (name: string, content: string): string => `${davStart(name)}${content}</D:${name}>\n`;
export const davStart = (name: string): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n<D:${name} xmlns:D="DAV:">`;
