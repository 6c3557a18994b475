import * as z from 'zod';

export const includeQuarantined = z
  .boolean()
  .optional()
  .meta({ description: 'Also entries under quarantine, each marked `quarantined`.' });
