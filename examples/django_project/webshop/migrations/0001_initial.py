"""The first table."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """Creates the orders."""

    initial = True
    dependencies = ()
    operations = (
        migrations.CreateModel(
            name="Order",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.CharField(max_length=64, unique=True)),
                ("email", models.EmailField(max_length=254)),
                ("completed", models.BooleanField(default=False)),
                ("invitation", models.CharField(blank=True, max_length=36)),
            ],
        ),
    )
