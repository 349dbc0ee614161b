"""Lints and renders the chart with each set of values. Reads {chart, releases, cases}, prints a list of results."""
import json
import sys

import helm_python as helm
import kubernetes_validate as kubernetes
import yaml


def faults(document, releases):
    for release in releases:
        try:
            kubernetes.validate(document, release, strict=True)
        except Exception as error:
            yield f"{document.get('kind')} for Kubernetes {release}: {error}"


def judge(chart, values, releases):
    report = helm.lint(chart, values, strict=True)
    messages = [one["error"] for one in report["messages"] if one["severity"] >= 2]
    try:
        with helm.Chart.load(chart) as loaded:
            rendered = loaded.render(values, name="waymark", namespace="default", is_install=True)
    except helm.HelmError as error:
        return {"refused": str(error), "messages": messages, "documents": []}
    texts = [text for path, text in rendered.items() if not path.endswith(".txt")]
    documents = [one for text in texts for one in yaml.safe_load_all(text) if one]
    messages += [fault for one in documents for fault in faults(one, releases)]
    return {"refused": None, "messages": messages, "documents": documents}


job = json.load(sys.stdin)
print(json.dumps([judge(job["chart"], values, job["releases"]) for values in job["cases"]]))
