/** XML of WebDAV: small bodies as trees of elements, and elements as text that stands in any document. */
import { SaxesParser } from "saxes";
import { appError } from "../../lib/errors.ts";
import { escapeXml } from "../../lib/escape-xml.ts";

export const DAV = "DAV:";

export type XmlName = { ns: string; name: string };
export type XmlElement = XmlName & {
  attributes: readonly (XmlName & { value: string })[];
  children: (XmlElement | string)[];
};

const MOST_DEPTH = 32;
/** Elements and attributes. */
const MOST_PARTS = 2_000;
const XML_NS = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NS = "http://www.w3.org/2000/xmlns/";

/** Knows no entities but XML's own. @throws BadRequest */
export function parseXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true, defaultXMLVersion: "1.0", forceXMLVersion: true });
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let parts = 0;
  const count = () => {
    if (++parts > MOST_PARTS) throw refused(`has more than ${MOST_PARTS} elements and attributes`);
  };
  parser.on("attribute", count);
  parser.on("error", (error) => {
    throw refused(`is not well-formed: ${error.message}`);
  });
  parser.on("doctype", () => {
    throw refused("must have no DOCTYPE");
  });
  parser.on("opentag", ({ uri, local, attributes }) => {
    count();
    // No document may declare them for an element without a prefix.
    if (uri === XML_NS || uri === XMLNS_NS) throw refused("has elements in a namespace of XML itself");
    if (open.length === MOST_DEPTH) throw refused(`has more than ${MOST_DEPTH} levels`);
    const element: XmlElement = { ns: uri, name: local, attributes: [], children: [] };
    const kept = Object.values(attributes).filter(({ uri: ns }) => ns !== XMLNS_NS);
    for (const { prefix, local: name, value } of Object.values(attributes)) {
      if (prefix === "xmlns" && value === "") throw refused(`binds the prefix ${name} to nothing`);
    }
    element.attributes = kept.map(({ uri: ns, local: name, value }) => ({ ns, name, value }));
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on("closetag", () => void open.pop());
  const add = (piece: string) => void open.at(-1)?.children.push(piece);
  parser.on("text", add);
  parser.on("cdata", add);
  parser.write(text).close();
  if (root === undefined) throw refused("is empty");
  return root;
}

const refused = (why: string) => appError("BadRequest", `The XML of the body ${why}.`);

export const childrenOf = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child) => typeof child !== "string");

export const davChild = (element: XmlElement, name: string): XmlElement | undefined =>
  childrenOf(element).find((child) => child.ns === DAV && child.name === name);

/** Declares each namespace where it is used. */
export function xmlOf(element: XmlElement): string {
  const attributes = element.attributes.map(({ ns, name, value }, at) => {
    const prefix = ns === "" ? "" : ns === XML_NS ? "xml:" : `a${at}:`;
    const declared = ns === "" || ns === XML_NS ? "" : ` xmlns:a${at}="${escapeXml(ns)}"`;
    return `${declared} ${prefix}${name}="${escapeXml(value)}"`;
  });
  return `<${element.name} xmlns="${escapeXml(element.ns)}"${attributes.join("")}>${innerXml(element)}</${element.name}>`;
}

export const innerXml = ({ children }: XmlElement): string =>
  children.map((child) => (typeof child === "string" ? escapeXml(child) : xmlOf(child))).join("");

export const emptyXml = ({ ns, name }: XmlName): string =>
  ns === DAV ? `<D:${name}/>` : `<${name} xmlns="${escapeXml(ns)}"/>`;

export const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';
