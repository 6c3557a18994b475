// A request is described by texts with holes: {n} counts up, {r} is a random entry, {g} the folder of that entry, {s} a
// session of so many requests (see `sessionOf`).

const HOLE = /\{([nrgs])\}/;

/** A function of n, r, g and s. */
export function toFunction(template) {
  const parts = template.split(HOLE);
  if (parts.length === 1) return () => template;
  return (numbers) => parts.map((part, i) => (i % 2 === 0 ? part : numbers[part])).join('');
}

/** The same as an expression in Lua. */
export function toLua(template) {
  const parts = template.split(HOLE).map((part, i) => (i % 2 === 0 ? luaString(part) : part));
  return parts.filter((part) => part !== '""').join(' .. ') || '""';
}

export const luaString = (text) =>
  `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\0/g, '\\0')}"`;

/** As many sessions go on at a time as there are connections; each ends after its requests and another begins. */
export const sessionOf = (n, { connections, perSession }) =>
  Math.floor(n / (connections * perSession)) * connections + (n % connections);

export const sessionInLua = ({ connections, perSession }) =>
  `math.floor(n / ${connections * perSession}) * ${connections} + n % ${connections}`;
