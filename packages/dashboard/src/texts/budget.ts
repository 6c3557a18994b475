/** Texts of what judges may spend on models. */
export const budget = {
  title: 'Budget for models',
  note: 'what judges and investigations may spend; nothing is asked beyond it',
  columns: { period: 'Period', calls: 'Calls', failed: 'Failed', cost: 'Cost', tokens: 'Tokens', until: 'Begins anew' },
  periods: { day: 'Today', month: 'This month' },
  spent: 'spent',
  calls: 'calls',
  of: (used: string, limit: string) => `${used} of ${limit}`,
  tokens: (input: string, output: string) => `${input} in, ${output} out`,
  noModel: 'This service has no address of a model: judges that ask one are skipped.',
  models: (names: string) => `Models: ${names}.`,
  change: 'Change…',
  form: {
    title: 'Budget for models',
    hint: 'Empty: no bound of its own. Days and months are in UTC.',
    day_calls: 'Calls a day',
    day_usd: 'USD a day',
    month_calls: 'Calls a month',
    month_usd: 'USD a month',
    submit: 'Save',
    saved: 'The budget is saved',
  },
} as const;
