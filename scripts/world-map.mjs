/**
 * Writes the panel's world map, panel/src/clicks/world.json, from the npm package world-atlas 2.0.2 (Natural Earth, public
 * domain): `node scripts/world-map.mjs FOLDER_OF_THE_PACKAGE`. Countries by ISO 3166-1 alpha-2 as SVG paths in Equal Earth,
 * small ones as points. Needs Node: Bun's Intl does not know the numbers of countries.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const WIDTH = 1000;
const TARGET = join(import.meta.dirname, "../panel/src/clicks/world.json");
const SOUTHERNMOST = -58;
/** Alpha-2 codes of what has no number in the source. */
const NAMED = { Kosovo: "XK" };
/** In the source but nobody's address. */
const LEFT_OUT = new Set(["AQ", "TF", "HM", "GS"]);

const folder = process.argv[2];
const read = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));

// Equal Earth (Šavrič, Patterson and Jenny, 2018).
const [A1, A2, A3, A4] = [1.340264, -0.081106, 0.000893, 0.003796];
const M = Math.sqrt(3) / 2;
function project([longitude, latitude]) {
  const angle = Math.asin(M * Math.sin((latitude * Math.PI) / 180));
  const squared = angle * angle;
  const sixth = squared ** 3;
  return [
    ((longitude * Math.PI) / 180) *
      (Math.cos(angle) / (M * (A1 + 3 * A2 * squared + sixth * (7 * A3 + 9 * A4 * squared)))),
    angle * (A1 + A2 * squared + sixth * (A3 + A4 * squared)),
  ];
}
const [EDGE] = project([180, 0]);
const [, TOP] = project([0, 84]);
const SCALE = WIDTH / (2 * EDGE);
const HEIGHT = Math.round((TOP - project([0, SOUTHERNMOST])[1]) * SCALE);
const place = (point) => {
  const [x, y] = project(point);
  return [Math.round((x + EDGE) * SCALE), Math.round((TOP - y) * SCALE)];
};

function shapesOf(topology) {
  const { scale, translate } = topology.transform;
  const arcs = topology.arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([dx, dy]) => [(x += dx) * scale[0] + translate[0], (y += dy) * scale[1] + translate[1]]);
  });
  const lineOf = (at) => (at < 0 ? arcs[~at].toReversed() : arcs[at]);
  const ringOf = (list) => list.flatMap((at, index) => lineOf(at).slice(index === 0 ? 0 : 1));
  return topology.objects.countries.geometries.map(({ id, type, arcs: parts = [], properties }) => ({
    code: id === undefined ? (NAMED[properties.name] ?? "") : new Intl.Locale(`und-${id}`).region,
    rings: (type === "Polygon" ? [parts] : parts).flat().map(ringOf),
  }));
}

/** Without jumps over the date line. */
function unwrap(ring) {
  let turn = 0;
  return ring.map(([longitude, latitude], at) => {
    const step = at === 0 ? 0 : longitude - ring[at - 1][0];
    turn += step > 180 ? -360 : step < -180 ? 360 : 0;
    return [longitude + turn, latitude];
  });
}

/** What lies on one side of a meridian (Sutherland and Hodgman). */
const clip = (ring, edge, isInside) =>
  ring.flatMap((point, at) => {
    const before = ring.at(at - 1);
    const share = (edge - before[0]) / (point[0] - before[0]);
    const crossing = [edge, before[1] + share * (point[1] - before[1])];
    if (isInside(point[0])) return isInside(before[0]) ? [point] : [crossing, point];
    return isInside(before[0]) ? [crossing] : [];
  });

/** Cut at the date line. */
function cut(ring) {
  const whole = unwrap(ring);
  return [-360, 0, 360].flatMap((turn) => {
    const turned = whole.map(([longitude, latitude]) => [longitude + turn, latitude]);
    const east = clip(turned, 180, (longitude) => longitude <= 180);
    const both = clip(east, -180, (longitude) => longitude >= -180);
    return both.length < 3 ? [] : [both];
  });
}

function pathOf(rings) {
  let path = "";
  for (const ring of rings.flatMap(cut)) {
    const points = ring
      .map(place)
      .filter((point, at, all) => at === 0 || String(point) !== String(all[at - 1]));
    if (new Set(points.map(String)).size < 3) continue;
    let [x, y] = points[0];
    path += `M${x} ${y}l`;
    for (const [nextX, nextY] of points.slice(1, -1)) {
      path += `${path.endsWith("l") || nextX < x ? "" : " "}${nextX - x}${nextY < y ? "" : " "}${nextY - y}`;
      [x, y] = [nextX, nextY];
    }
    path += "z";
  }
  return path;
}

/** The middle of the largest ring. */
function pointOf(rings) {
  const points = rings.toSorted((a, b) => b.length - a.length)[0].map(place);
  const middle = (at) =>
    (Math.min(...points.map((point) => point[at])) + Math.max(...points.map((point) => point[at]))) / 2;
  return [Math.round(middle(0)), Math.round(middle(1))];
}

const sorted = (object) =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));
const land = {};
const add = (code, rings) => (land[code] = (land[code] ?? "") + pathOf(rings));
for (const { code, rings } of shapesOf(read("countries-110m.json")))
  if (!LEFT_OUT.has(code)) add(code, rings);
const small = {};
for (const { code, rings } of shapesOf(read("countries-50m.json"))) {
  if (code === "" || LEFT_OUT.has(code)) continue;
  if (land[code] === undefined || land[code] === "") small[code] = pointOf(rings);
}
const world = { width: WIDTH, height: HEIGHT, land: sorted(land), small: sorted(small) };
const lines = JSON.stringify(world, null, 1)
  .replace(/\[\s+(\d+),\s+(\d+)\s+\]/g, "[$1, $2]")
  .replace(/^ +/gm, (space) => space.repeat(2));
writeFileSync(TARGET, `${lines}\n`);
console.log(
  `${Object.keys(land).length} countries, ${Object.keys(small).length} points, ${lines.length} characters`,
);
