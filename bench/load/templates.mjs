// A request is described by texts with holes: {n} counts up, {r} is a random entry, {g} the folder of that entry.

const HOLE = /\{([nrg])\}/;

/** A function of n, r and g. */
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
