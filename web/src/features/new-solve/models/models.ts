import type { ModelView } from "@/api/types";

const SCRIPTED = "scripted/";

/** Finds a model by name, alias or model id, as the server does. */
export function findModel(models: readonly ModelView[], name: string): ModelView | undefined {
  return (
    models.find((model) => model.name === name) ??
    models.find((model) => model.aliases.includes(name)) ??
    models.find((model) => model.model_id === name)
  );
}

export function isChosen(model: ModelView, chosen: readonly string[]): boolean {
  return chosen.some((name) => isCalled(model, name));
}

export function isCalled(model: ModelView, name: string): boolean {
  return model.name === name || model.aliases.includes(name) || model.model_id === name;
}

/** Chosen models without a known price. A cost cap needs their price. */
export function unpriced(models: readonly ModelView[], chosen: readonly string[]): string[] {
  return chosen.filter((name) => !name.startsWith(SCRIPTED) && !findModel(models, name)?.price);
}

/** Models whose name, provider or aliases contain every word of the query. */
export function matching(models: readonly ModelView[], query: string): ModelView[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter((model) => {
    const text = [model.name, model.provider, ...model.aliases].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Returns the error of a model name, or null. */
export function nameError(name: string): string | null {
  if (/\s/.test(name)) return "a model name has no spaces, as in vendor/name";
  if (name.length > 300) return "a model name has at most 300 characters";
  return null;
}

export function dollars(amount: number): string {
  if (amount === 0) return "$0";
  return `$${amount >= 0.1 ? amount.toFixed(2) : String(Number(amount.toPrecision(2)))}`;
}
