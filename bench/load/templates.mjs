// A request template has placeholders: {n} is a counter, {r} a random entry, {g} the folder of that entry, {s} a
// session (see `sessionOf`). Entries are drawn evenly or, for a plan with `zipf`, the one of rank k with weight 1/k.

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

/** Spreads the ranks over the store, so that entries of neighbouring ranks are not neighbours in the file. */
const SPREAD = 1_000_003;

/** Draws the number of an entry, with a random number from 0 up to 1. */
export function drawEntry(random, { count, zipf }) {
  if (!zipf) return Math.floor(random * count);
  return ((Math.floor((count + 1) ** random) - 1) * SPREAD) % count;
}

export const drawInLua = ({ count, zipf }) =>
  zipf ? `((math.floor(${count + 1} ^ math.random()) - 1) * ${SPREAD}) % ${count}` : `math.random(0, ${count - 1})`;
