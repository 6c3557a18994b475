// A request template has placeholders: {n} is a counter, {r} a random entry, {g} the folder of that entry, {s} a
// session (see `sessionOf`).

const HOLE = /\{([nrgs])\}/;

/** Compiles a template to a function of n, r, g and s. */
export function toFunction(template) {
  const parts = template.split(HOLE);
  if (parts.length === 1) return () => template;
  return (numbers) => parts.map((part, i) => (i % 2 === 0 ? part : numbers[part])).join('');
}

/** Compiles a template to an expression in Lua. */
export function toLua(template) {
  const parts = template.split(HOLE).map((part, i) => (i % 2 === 0 ? luaString(part) : part));
  return parts.filter((part) => part !== '""').join(' .. ') || '""';
}

export const luaString = (text) =>
  `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\0/g, '\\0')}"`;

/** There are as many concurrent sessions as connections; each ends after its requests and another one begins. */
export const sessionOf = (n, { connections, perSession }) =>
  Math.floor(n / (connections * perSession)) * connections + (n % connections);

export const sessionInLua = ({ connections, perSession }) =>
  `math.floor(n / ${connections * perSession}) * ${connections} + n % ${connections}`;
