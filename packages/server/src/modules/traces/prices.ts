import type { Settings } from '../../kernel/index.ts';
import table from './prices.json' with { type: 'json' };

/** The operator's prices, or the built-in ones. */
export const pricesOf = ({ llm_prices }: Settings): NonNullable<Settings['llm_prices']> => llm_prices ?? table.models;
